// broken: RAW threads arrive at an mbarrier, and nothing orders its initialization before that
// fixed: clean
// launch: 1x64
// source: https://github.com/NVIDIA/Fuser/pull/1769 (issue 1552), BSD-3-Clause
// Written anew after the thread: no code of it.
// The kernel hung at times, because threads arrive at the barrier before it is initialized.
// The fix: __syncthreads() after the initialization.
// Left out: the invalidation at the end; one thread initializes here, and not all of them.
__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__global__ void transpose(const float *in, float *out) {
    __shared__ unsigned long long barrier;
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(place_of(&barrier)) : "memory");  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    tile[t] = in[t];
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(place_of(&barrier)) : "memory");  // later
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place_of(&barrier)), "l"(state) : "memory");
    out[t] = tile[t % 8 * 8 + t / 8];
}
