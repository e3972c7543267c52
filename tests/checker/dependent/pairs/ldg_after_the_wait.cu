// doubtful: DEPENDENT_READ_ONLY READ_ONLY_PATH
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// __ldg() reads by the read-only path.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
#ifdef SOUND
    result[i] = 2 * in[i];
#else
    result[i] = 2 * __ldg(in + i);  // later
#endif
}
