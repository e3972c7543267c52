// broken: ATOMIC_RACE
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// The scope of the atomics does not include the other block.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    if (t == 0) s[0] = 0;
    cluster.sync();
    int *first = cluster.map_shared_rank(s, 0);
    asm volatile("red.relaxed.cta.add.s32 [%0], %1;" ::"l"(first), "r"(in[i]) : "memory");
    cluster.sync();
    if (t == 0) out[blockIdx.x] = *first;
    cluster.sync();
}
