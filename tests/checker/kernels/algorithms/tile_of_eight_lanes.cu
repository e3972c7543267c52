// sound
// launch: 2x64

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, r = tile.thread_rank();
    s[t] = in[blockIdx.x * blockDim.x + t];
    tile.sync();
    for (int d = 4; d; d /= 2) {
        if (r < d) s[t] += s[t + d];
        tile.sync();
    }
    if (r == 0) out[(blockIdx.x * blockDim.x + t) / 8] = s[t];
}
