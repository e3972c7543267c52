// broken: ENDED
// launch: 4x64 in clusters of 2
// After kekzl/imp, paged_attention_cluster_kernel.
#include <cooperative_groups.h>

// The first block may have ended before the other one has read the last tile.
__global__ void k(const int *in, int *out) {
    __shared__ int tile[2][64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, sum = 0;
    int *first = cluster.map_shared_rank(&tile[0][0], 0);
    bool loads = cluster.block_rank() == 0;
    if (loads) {
        tile[0][t] = in[t];
    }
    cluster.sync();
    for (int round = 0; round < 4; round++) {
        if (loads && round < 3) {
            tile[(round + 1) % 2][t] = in[(round + 1) * 64 + t];
        }
        sum += first[round % 2 * 64 + (t + 1) % 64];
        if (round < 3) {
            cluster.sync();
        }
    }
    out[blockIdx.x * 64 + t] = sum;
}
