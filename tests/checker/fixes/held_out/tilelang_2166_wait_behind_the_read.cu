// broken: RAW the consumer reads one of two buffers before it waits for the barrier of both
// fixed: clean
// launch: 1x64
// source: https://github.com/tile-ai/tilelang/pull/2166
// Written anew after the thread: no code of it.
// The producer warp fills one buffer by stores and one by a bulk copy. The compiler put the wait before the first read of the latter.
// The fix: the wait comes before the first read of any of them.
// Left out: the code generator, the loop over stages; the copy has no tensor map.
__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__global__ void multiply(const int *a, const int *b, int *out) {
    __shared__ __align__(128) int tile_a[32], tile_b[32];
    __shared__ unsigned long long full;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(place_of(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (warp == 0) {
        tile_b[lane] = 3 * b[lane];  // earlier
        if (lane == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(place_of(&full)) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                         ::"r"(place_of(tile_a)), "l"(a), "r"(place_of(&full)) : "memory");
        } else {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place_of(&full)) : "memory");
        }
    } else {
#ifdef FIXED
        wait_parity(&full, 0);
#endif
        int value = tile_b[31 - lane];  // later
#ifndef FIXED
        wait_parity(&full, 0);
#endif
        out[lane] = value * tile_a[lane];
    }
}
