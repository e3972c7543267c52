// broken: RAW one lane arrives at the mbarrier for its warp, and nothing orders the stores of the other lanes before that
// fixed: clean
// launch: 1x64
// source: https://github.com/NVIDIA/cudnn-frontend/pull/426, Apache-2.0
// Written anew after the thread: no code of it.
// All lanes of the load warp store to shared memory, one of them arrives, and another warp reads after its wait.
// The proxy fence between orders no threads.
// The fix: __syncwarp() before the arrival.
// Left out: tensor memory, matrix instructions, the pipeline; one stage remains.
__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__global__ void indexer(const float *weights, float *result) {
    __shared__ unsigned long long loaded;
    __shared__ float staged[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&loaded)) : "memory");
    __syncthreads();
    if (warp == 0) {
        staged[lane] = weights[lane];  // earlier
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#ifdef FIXED
        __syncwarp();
#endif
        if (lane == 0) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(&loaded)) : "memory");
    } else {
        wait_parity(&loaded, 0);
        result[lane] = 2 * staged[31 - lane];  // later
    }
}
