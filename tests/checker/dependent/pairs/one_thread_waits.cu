// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// One thread of each block waits; without a barrier, nothing orders the others after it.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
#ifdef SOUND
    __syncthreads();
#endif
    result[i] = 2 * in[i];  // later
}
