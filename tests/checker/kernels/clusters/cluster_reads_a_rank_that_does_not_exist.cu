// broken: OUT_OF_BOUNDS
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// Ranks count from 0.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    s[t] = in[i];
    cluster.sync();
    out[i] = cluster.map_shared_rank(s, cluster.block_rank() + 1)[t];
    cluster.sync();
}
