// broken: DEPENDENT_WAW WAITS_LATER
// pdl: primary,secondary
// same: primary.sum=secondary.sum
// 
// The prologue clears a sum to which the launch before adds by atomics.
__global__ void primary(const int *in, int *sum) {
    cudaTriggerProgrammaticLaunchCompletion();
    atomicAdd(sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // earlier
}

__global__ void secondary(int *sum, int *total) {
#ifdef SOUND
    cudaGridDependencySynchronize();
    if (blockIdx.x == 0 && threadIdx.x == 0) { *total = *sum; *sum = 0; }
#else
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;  // later
    cudaGridDependencySynchronize();
    if (blockIdx.x == 0 && threadIdx.x == 0) *total = *sum;
#endif
}
