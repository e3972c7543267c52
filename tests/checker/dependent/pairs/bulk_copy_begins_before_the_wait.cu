// broken: DEPENDENT_RAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// A bulk copy reads its source through the asynchronous proxy, from when it begins.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    __shared__ alignas(16) float tile[128];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned counted = __cvta_generic_to_shared(&barrier), target = __cvta_generic_to_shared(tile);
    const float *source = in + blockIdx.x * 128;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(counted) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(counted) : "memory");
#ifdef SOUND
        cudaGridDependencySynchronize();
#endif
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];"  // later
                     ::"r"(target), "l"(source), "r"(counted) : "memory");
    }
    __syncthreads();
    cudaGridDependencySynchronize();
    int done = 0;
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done) : "r"(counted) : "memory");
    result[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}
