// broken: RAW a relaxed arrival at the barrier of the cluster does not publish what rank 0 wrote to its shared memory
// fixed: clean
// launch: 2x64
// cluster: 2
// source: https://github.com/sgl-project/sglang/pull/38829, Apache-2.0
// Written anew after the thread: no code of it.
// Rank 0 finds a threshold, arrives relaxed, and the other blocks read the threshold after the wait.
// The fix: rank 0 arrives with release.
// Left out: the histogram and its reduction, the selection, NaN padding.
__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }

__device__ void arrive_release() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }

__device__ void wait_cluster() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ unsigned load_of_rank(const unsigned *own, unsigned rank) {
    unsigned place = (unsigned)__cvta_generic_to_shared(own), remote, value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");  // later
    return value;
}

__global__ void select(const unsigned *scores, unsigned *result) {
    __shared__ unsigned threshold;
    unsigned rank = rank_in_cluster();
    int i = blockIdx.x * 64 + threadIdx.x;
    if (rank == 0 && threadIdx.x == 0) threshold = scores[i] / 2;  // earlier
    __syncthreads();
#ifdef FIXED
    if (rank == 0)
        arrive_release();
    else
        arrive_relaxed();
#else
    arrive_relaxed();
#endif
    wait_cluster();
    unsigned limit = load_of_rank(&threshold, 0);
    result[i] = scores[i] > limit ? 1 : 0;
    arrive_release();
    wait_cluster();
}
