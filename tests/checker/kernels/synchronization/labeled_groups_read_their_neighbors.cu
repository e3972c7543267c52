// broken: RAW
// launch: 2x64

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    auto group = cg::labeled_partition(warp, t % 3);
    s[t] = in[g];
    group.sync();
    out[g] = s[t ^ 1];
}
