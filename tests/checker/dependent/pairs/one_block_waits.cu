// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// Only the first block waits.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
#else
    if (blockIdx.x == 0) cudaGridDependencySynchronize();
#endif
    result[i] = 2 * in[i];  // later
}
