// broken: deadlock arrivals of a block that runs ahead complete a phase of the mbarrier that belongs to the next iterations
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/facebookexperimental/triton/pull/3472
// Written anew after the thread: no code of it.
// Leader and follower arrive at one mbarrier of the leader per iteration, and only the leader waits. With three buffers, the follower
// may arrive for later iterations, and its two arrivals complete a phase that the leader has not seen begin.
// The fix: one barrier per buffer.
// Left out: the product by tensor cores of two blocks, which is a load here; tensor maps; iterations that reuse buffers.
constexpr unsigned STAGES = 3;
#ifdef FIXED
constexpr unsigned BARRIERS = STAGES;
#else
constexpr unsigned BARRIERS = 1;
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

__device__ void arrive_at_leader(const void *barrier) {
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(place_in_rank(barrier, 0)) : "memory");  // earlier
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");  // later
}

__global__ void gemm(const int *in, int *out) {
    __shared__ unsigned long long met[BARRIERS];
    __shared__ int halves[STAGES][32];
    unsigned rank = rank_in_cluster(), lane = threadIdx.x;
    if (lane == 0) {
        for (unsigned i = 0; i < BARRIERS; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(place_of(&met[i])) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    for (unsigned k = 0; k < STAGES; k++) {
        unsigned long long *barrier = &met[k % BARRIERS];
        halves[k][lane] = in[(rank * STAGES + k) * 32 + lane];
        __syncwarp();
        if (lane == 0) arrive_at_leader(barrier);
        if (rank == 0) {
            wait_parity(barrier, k / BARRIERS % 2);
            int other;
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(other) : "r"(place_in_rank(&halves[k][lane], 1)) : "memory");
            out[k * 32 + lane] = halves[k][lane] + other;
        }
    }
    __syncwarp();
    sync_cluster();
}
