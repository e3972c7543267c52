// broken: deadlock one of the blocks that a copy goes to never arms its own mbarrier
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/facebookexperimental/triton/pull/1024 (pull request 908)
// Written anew after the thread: no code of it.
// The answer goes to all blocks of the cluster and counts its bytes at the mbarrier of each, but only block 0 arrives and expects
// bytes at its own one, so that the wait of the other block never ends.
// The fix: each block arrives and expects bytes at its own barrier.
// Left out: cancellation of launches, whose answer is a multicast copy here; persistent tiles.
__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");  // later
}

__global__ void next_tile(const int *tiles, int *out) {
    __shared__ __align__(128) int answer[4];
    __shared__ unsigned long long full;
    unsigned rank = rank_in_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    sync_cluster();
#ifdef FIXED
    if (threadIdx.x == 0)
#else
    if (threadIdx.x == 0 && rank == 0)
#endif
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(place_of(&full)) : "memory");
    if (threadIdx.x == 0 && rank == 0) {
        unsigned short both = 3;
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 16, [%2], %3;"
            ::"r"(place_of(answer)), "l"(tiles), "r"(place_of(&full)), "h"(both) : "memory");
    }
    wait_parity(&full, 0);
    out[blockIdx.x * 32 + threadIdx.x] = answer[threadIdx.x % 4];
    sync_cluster();
}
