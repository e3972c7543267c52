// sound
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// What a block does for itself may lie between arrival and wait.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    s[t] = in[i];
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    int mine = 2 * s[t];
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[i] = peer[t] + mine;
    cluster.sync();
}
