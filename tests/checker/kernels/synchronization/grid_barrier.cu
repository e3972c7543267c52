// sound
// launch: 2x64
// cooperative

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = in[g];
    cg::this_grid().sync();
    out[256 + g] = out[127 - g];
}
