// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// The fences of other threads are not ordered before the trigger of their block.
__global__ void primary(float *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
    __threadfence();
    if (threadIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    result[i] = 2 * in[i];  // later
}
