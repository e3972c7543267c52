// broken: peer's end, nothing keeps block 0 from ending while its peers read its shared memory
// fixed: clean
// launch: 4x32
// cluster: 4
// source: https://github.com/triton-lang/triton/issues/11730 (fix: pull request 10656, 11731 for the release), MIT
// Written anew after the thread: no code of it.
// Block 0 executes an atomic operation, and the other blocks of its cluster read the result from its shared memory as the last thing.
// The fix: a barrier of the cluster before the end of the kernel.
// Left out: Triton; the rest of the tile.
__device__ unsigned rank_in_cluster() {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ int load_of_rank(const int *own, unsigned rank) {
    unsigned place = (unsigned)__cvta_generic_to_shared(own), remote;
    int value;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(place), "r"(rank));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");  // later
    return value;
}

__global__ void compare_and_swap(int *lock, int *out) {
    __shared__ int old;
    if (rank_in_cluster() == 0 && threadIdx.x == 0) old = atomicCAS(lock, 0, 1);
    sync_cluster();
    out[blockIdx.x * 32 + threadIdx.x] = load_of_rank(&old, 0);
#ifdef FIXED
    sync_cluster();
#endif
}
