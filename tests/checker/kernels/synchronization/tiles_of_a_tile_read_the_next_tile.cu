// broken: RAW
// launch: 2x64

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto tile = cg::tiled_partition<8>(warp);
    s[t] = in[g];
    tile.sync();
    out[g] = s[t ^ 8] + tile.shfl_xor(in[g], 3);
}
