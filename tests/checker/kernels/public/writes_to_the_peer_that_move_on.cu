// broken: WAW
// launch: 4x64 in clusters of 2
// After hibouwu/CUDA_optimazation, dsmem_bandwidth.cu.
#include <cooperative_groups.h>

// In the next round, each thread writes the place of the thread beside it.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    cluster.sync();
    for (int round = 0; round < 4; round++) {
        peer[(t + round) % 64] = in[t] + round;
    }
    cluster.sync();
    out[blockIdx.x * 64 + t] = s[t];
}
