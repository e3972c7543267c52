// sound
// launch: 2x64

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x, r = tile.thread_rank(), g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    tile.sync();
#pragma unroll 1
    for (int d = 8; d; d /= 2) {
        if (r < d) s[t] += s[t + d];
        tile.sync();
    }
    out[g] = s[t - r];
}
