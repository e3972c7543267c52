// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// One warp waits, and the barrier is one of each warp alone.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 32) cudaGridDependencySynchronize();
#ifdef SOUND
    __syncthreads();
#else
    __syncwarp();
#endif
    result[i] = 2 * in[i];  // later
}
