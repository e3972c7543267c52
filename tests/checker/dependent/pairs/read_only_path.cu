// doubtful: DEPENDENT_READ_ONLY READ_ONLY_PATH
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// const with __restrict__ makes the load one by the read-only path, which is not coherent.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

#ifdef SOUND
__global__ void secondary(const float *in, float *result) {
#else
__global__ void secondary(const float *__restrict__ in, float *__restrict__ result) {
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    result[i] = 2 * in[i];  // later
}
