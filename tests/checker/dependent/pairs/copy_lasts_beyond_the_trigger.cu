// broken: DEPENDENT_WAR WAITS_LATER
// pdl: primary,secondary
// same: primary.in=secondary.scratch
// 
// An asynchronous copy that begins before the trigger may read after it.
__global__ void primary(const float *in, float *out) {
    __shared__ float tile[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned address = __cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(in + i) : "memory");  // earlier
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = tile[threadIdx.x];
}

__global__ void secondary(float *scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
    scratch[i] = 0;
#else
    scratch[i] = 0;  // later
    cudaGridDependencySynchronize();
#endif
}
