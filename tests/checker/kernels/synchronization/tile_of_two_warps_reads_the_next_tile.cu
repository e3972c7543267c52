// broken: RAW
// launch: 2x128

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ cg::block_tile_memory<128> memory;
    __shared__ int s[128];
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    tile.sync();
    out[g] = s[t ^ 127];
}
