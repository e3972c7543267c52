// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// A barrier before the wait of one thread orders nothing after it.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
    __syncthreads();
#else
    __syncthreads();
    if (threadIdx.x == 0) cudaGridDependencySynchronize();
#endif
    result[i] = 2 * in[i];  // later
}
