// broken: deadlock three blocks of a cluster arrive for the second meeting before the fourth one has seen the end of the first
// fixed: clean
// launch: 4x32
// cluster: 4
// The fix: two barriers in turn.
constexpr unsigned BLOCKS = 4;
constexpr unsigned MEETINGS = 2;
#ifdef FIXED
constexpr unsigned SLOTS = 2;
#else
constexpr unsigned SLOTS = 1;
#endif

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

__device__ void arrive_at_rank(const void *own, unsigned rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place_of(own)), "r"(rank));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");  // earlier
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
    unsigned lane = threadIdx.x, rank = rank_in_cluster();
    if (lane == 0) {
        for (unsigned slot = 0; slot < SLOTS; slot++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place_of(&barriers[slot])), "r"(BLOCKS - 1) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    for (unsigned meeting = 0; meeting < MEETINGS; meeting++) {
        unsigned long long *barrier = &barriers[meeting % SLOTS];
        if (lane < BLOCKS && lane != rank) arrive_at_rank(barrier, lane);
        wait_parity(barrier, meeting / SLOTS % 2);
        __syncwarp();
    }
    out[blockIdx.x * 32 + lane] = in[lane];
    sync_cluster();
}
