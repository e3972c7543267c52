// broken: DEPENDENT_RAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// An asynchronous copy reads its source when it begins, at the earliest.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    __shared__ float tile[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned address = __cvta_generic_to_shared(tile + threadIdx.x);
#ifdef SOUND
    cudaGridDependencySynchronize();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(in + i) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(in + i) : "memory");  // later
    cudaGridDependencySynchronize();
#endif
    asm volatile("cp.async.wait_all;" ::: "memory");
    result[i] = tile[threadIdx.x];
}
