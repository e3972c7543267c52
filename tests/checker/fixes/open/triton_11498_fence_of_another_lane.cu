// broken: RAW another lane than the one that initialized the mbarrier executes the fence of its initialization
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/triton-lang/triton/pull/11498, MIT
// Written anew after the thread: no code of it.
// One elected lane initializes the barrier, and thread 0 executes the fence before a relaxed barrier of the cluster. Which lane is
// elected is not said by the PTX ISA; it is the last one here.
// The fix: the lane that initializes executes the fence.
// Left out: Triton; copies to both blocks, which are arrivals here.
__device__ unsigned place_of(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void arrive_at_rank(const void *own, unsigned rank) {
    unsigned remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place_of(own)), "r"(rank));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");  // later
}

__device__ void wait_parity(unsigned long long *barrier, unsigned parity) {
    unsigned place = place_of(barrier), done = 0;
    while (!done)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

__global__ void multicast(const int *in, int *out) {
    __shared__ unsigned long long barrier;
    const unsigned elected = 31;
#ifdef FIXED
    const unsigned fencing = elected;
#else
    const unsigned fencing = 0;
#endif
    if (threadIdx.x == elected)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(place_of(&barrier)) : "memory");  // earlier
    if (threadIdx.x == fencing) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    arrive_at_rank(&barrier, rank_in_cluster() ^ 1);
    wait_parity(&barrier, 0);
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i];
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
