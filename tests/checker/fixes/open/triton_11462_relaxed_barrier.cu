// broken: WAR a relaxed barrier of the cluster stands between reads of a peer's shared memory and its next writes
// fixed: clean
// launch: 2x64
// cluster: 2
// source: https://github.com/triton-lang/triton/pull/11462 (issue 11404), MIT
// Written anew after the thread: no code of it.
// The compiler took a relaxed barrier as one that orders memory, and inserted no other one before the scratch memory is reused.
// Broken before the fix, although the earlier access is a read, because nothing has used its value: the model's page, "When a load is complete".
// The fix: a barrier with release and acquire before the reuse.
// Left out: Triton, layouts; the conversion of layouts is an exchange of values here.
__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void sync_cluster_relaxed() {
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ int load_of_rank(const int *own, unsigned rank) {
    unsigned place = (unsigned)__cvta_generic_to_shared(own), remote;
    int value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");  // earlier
    return value;
}

__global__ void convert_layout(const int *in, int *out) {
    __shared__ int scratch[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    scratch[t] = in[i];
    sync_cluster();
    int value = load_of_rank(&scratch[63 - t], rank_in_cluster() ^ 1);
    sync_cluster_relaxed();
#ifdef FIXED
    sync_cluster();
#endif
    scratch[t] = 2 * value;  // later
    __syncthreads();
    out[i] = scratch[63 - t];
}
