// launch: 1x128
#include <cooperative_groups.h>
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[128];
    auto block = cooperative_groups::this_thread_block();
    int t = block.thread_rank();
    s[t] = in[t];
    block.sync();  // barrier: warp
    out[t] = s[t ^ 9];
    block.sync();  // barrier: warp
    s[t] = in[128 + t];
    block.sync();  // barrier: needed
    out[128 + t] = s[127 - t];
}
