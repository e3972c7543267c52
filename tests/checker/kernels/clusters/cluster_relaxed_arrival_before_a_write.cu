// doubtful: WEAK_ORDER
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// By the PTX ISA, a relaxed arrival does not order the read before the write.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    s[t] = in[i];
    cluster.sync();
    out[i] = peer[t];
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    s[t] = 0;
    cluster.sync();
}
