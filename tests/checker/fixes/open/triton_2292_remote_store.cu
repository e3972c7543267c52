// broken: peer's start, a store goes to the shared memory of a block of which nothing says that it has started
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/facebookexperimental/triton/pull/2292
// Written anew after the thread: no code of it.
// Each block stores into the shared memory of the other one as the first thing that it does.
// The fix: a barrier of the cluster before the stores.
// Left out: Triton; the test that delays the other block.
__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void store_to_rank(const int *own, unsigned rank, int value) {
    unsigned place = (unsigned)__cvta_generic_to_shared(own), remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place), "r"(rank));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(value) : "memory");  // later
}

__global__ void exchange(const int *in, int *out) {
    __shared__ int received[32];
    int t = threadIdx.x, i = blockIdx.x * 32 + t;
#ifdef FIXED
    sync_cluster();
#endif
    store_to_rank(&received[t], rank_in_cluster() ^ 1, in[i]);
    sync_cluster();
    out[i] = received[t];
}
