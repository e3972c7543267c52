// sound
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// The barrier waits for threads that have not exited only.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    out[i] = in[i];
    if (t >= 32 && cluster.block_rank() == 1) return;
    s[t] = in[i];
    cluster.sync();
    if (cluster.block_rank() == 0 && t < 32) out[i] = peer[t];
    cluster.sync();
}
