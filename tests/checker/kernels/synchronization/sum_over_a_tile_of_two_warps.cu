// sound
// launch: 2x128

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ cg::block_tile_memory<128> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = cg::reduce(tile, in[g], cg::plus<int>());
}
