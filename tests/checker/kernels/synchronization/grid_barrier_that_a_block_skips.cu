// broken: ENDLESS
// launch: 2x64
// cooperative
// hangs

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// The last block never comes.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = in[g];
    if (blockIdx.x + 1 < gridDim.x) cg::this_grid().sync();
    out[256 + g] = out[g];
}
