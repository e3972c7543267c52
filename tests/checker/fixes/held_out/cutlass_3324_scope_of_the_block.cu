// broken: RAW an arrival at the mbarrier of another block has the scope of its own block
// fixed: clean
// launch: 2x32
// cluster: 2
// source: https://github.com/NVIDIA/cutlass/issues/3324
// Written anew after the thread: no code of it.
// The second block fills its shared memory by cp.async, waits, and arrives at a barrier of the first block, which then reads it.
// Neither the arrival nor the test names a scope, which makes it the block.
// The fix: arrive with release.cluster, and test with acquire.cluster.
// Left out: the product by tensor cores of two blocks, which is a load here; stages, the tensor memory accelerator.
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

__device__ void arrive_at_first(const void *barrier) {
#ifdef FIXED
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(place_in_rank(barrier, 0)) : "memory");
#else
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(place_in_rank(barrier, 0)) : "memory");
#endif
}

__device__ unsigned test_parity(const void *barrier, unsigned parity) {
    unsigned done;
#ifdef FIXED
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(place_of(barrier)), "r"(parity) : "memory");
#else
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done) : "r"(place_of(barrier)), "r"(parity) : "memory");
#endif
    return done;
}

__global__ void gemm(const int *b, int *out) {
    __shared__ int half[32];
    __shared__ unsigned long long full;
    int lane = threadIdx.x;
    unsigned rank = rank_in_cluster();
    if (lane == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(place_of(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    if (rank == 1) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place_of(&half[lane])), "l"(b + lane) : "memory");  // earlier
        asm volatile("cp.async.wait_all;" ::: "memory");
        arrive_at_first(&full);
    } else {
        while (!test_parity(&full, 0)) {
        }
        int value;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(place_in_rank(&half[31 - lane], 1)) : "memory");  // later
        out[lane] = 2 * value;
    }
    __syncwarp();
    sync_cluster();
}
