// broken: RAW
// launch: 2x64 in clusters of 2
#include <cooperative_groups.h>

__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void expect(void *bar, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(bytes) : "memory");
}
__device__ void start(void *bar, unsigned count) {
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(bar)), "r"(count) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
}

// Nobody waits for the copy.
__global__ void k(const int *in, int *out) {
    __shared__ __align__(16) int s[64];
    __shared__ unsigned long long bar;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    const int *from = in + blockIdx.x * 64;
    int *to = out + blockIdx.x * 64;
    auto cluster = cooperative_groups::this_cluster();
    unsigned peer = cluster.block_rank() ^ 1;
    start(&bar, 1);
    cluster.sync();
    if (t == 0) expect(&bar, 256);
    if (t == 0 && cluster.block_rank() == 0) {
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                     ::"r"(place(s)), "l"(in), "r"(place(&bar)), "h"((unsigned short)3) : "memory");
    }
    to[t] = s[t];
    cluster.sync();
}
