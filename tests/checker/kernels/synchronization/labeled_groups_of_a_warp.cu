// sound
// launch: 2x64

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Lanes with the same remainder form a group, which adds and meets by itself.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    auto group = cg::labeled_partition(warp, t % 3);
    s[t] = cg::reduce(group, in[g], cg::plus<int>());
    group.sync();
    out[g] = s[t % 32 >= 3 ? t - 3 : t];
}
