// broken: NOT_STARTED
// launch: 2x64 in clusters of 2
#include <cooperative_groups.h>

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void expect(void *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}
__device__ void wait(void *bar, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(place(bar)), "r"(parity) : "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void start(void *bar, unsigned count) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
}
__device__ unsigned of_rank(unsigned place, unsigned rank) {
    unsigned result;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(place), "r"(rank));
    return result;
}

// The other block may not have started.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long bar;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    const int *from = in + blockIdx.x * 64;
    int *to = out + blockIdx.x * 64;
    auto cluster = cooperative_groups::this_cluster();
    unsigned peer = cluster.block_rank() ^ 1;
    __shared__ __align__(16) int r[64];
    start(&bar, 1);
    s[t] = in[i];
    fence();
    __syncthreads();
    if (t == 0) {
        expect(&bar, 256);
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     ::"r"(of_rank(place(r), peer)), "r"(place(s)), "r"(of_rank(place(&bar), peer)) : "memory");
    }
    wait(&bar, 0);
    to[t] = r[t];
    cluster.sync();
}
