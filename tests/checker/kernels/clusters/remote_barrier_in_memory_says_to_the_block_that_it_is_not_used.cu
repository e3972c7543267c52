// broken: WAR
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// The addresses of a barrier in memory, and of that of the other block of the cluster.
__device__ unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned of_rank(unsigned place, unsigned rank) {
    unsigned result;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(result) : "r"(place), "r"(rank));
    return result;
}
__device__ void wait(unsigned barrier, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
}

// Nothing uses what is read before the arrival without a scope: the load may see the zero.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    __shared__ unsigned long long bar;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(place(&bar)) : "memory");
    cluster.sync();
    unsigned theirs = of_rank(place(&bar), cluster.block_rank() ^ 1);
    s[t] = in[i];
    cluster.sync();
    int value = peer[t];
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(theirs) : "memory");
    wait(place(&bar), 0);
    s[t] = 0;
    cluster.sync();
    out[i] = value;
}
