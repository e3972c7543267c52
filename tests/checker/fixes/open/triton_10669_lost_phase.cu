// broken: deadlock a block that tests its mbarrier late misses the phase that two arrivals of its peer have passed
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/triton-lang/triton/pull/10669, MIT
// Written anew after the thread: no code of it.
// The blocks of a cluster meet by arriving at the mbarrier of the other one. A block that has left the first meeting arrives for the
// second one, which completes a second phase of the barrier before the other block has seen the first one.
// The fix: two barriers in turn.
// Left out: Triton, warps with roles; each meeting exchanges a value.
constexpr unsigned MEETINGS = 4;
#ifdef FIXED
constexpr unsigned SLOTS = 2;
#else
constexpr unsigned SLOTS = 1;
#endif

__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ unsigned place_in_rank(const void *own, unsigned rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place_of(own)), "r"(rank));
    return remote;
}

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

__global__ void meet(const int *in, int *out) {
    __shared__ unsigned long long barriers[SLOTS];
    __shared__ int values[MEETINGS][32];
    unsigned peer = rank_in_cluster() ^ 1, lane = threadIdx.x;
    if (lane == 0) {
        for (unsigned slot = 0; slot < SLOTS; slot++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place_of(&barriers[slot])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    int sum = 0;
    for (unsigned meeting = 0; meeting < MEETINGS; meeting++) {
        unsigned long long *barrier = &barriers[meeting % SLOTS];
        values[meeting][lane] = in[(blockIdx.x * MEETINGS + meeting) * 32 + lane];
        __syncwarp();
        unsigned met = place_in_rank(barrier, peer);
        if (lane == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(met) : "memory");  // earlier
        wait_parity(barrier, meeting / SLOTS % 2);
        int value;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place_in_rank(&values[meeting][lane], peer)) : "memory");
        sum += value;
    }
    out[blockIdx.x * 32 + lane] = sum;
    sync_cluster();
}
