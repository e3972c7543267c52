// broken: BARRIER_IMPOSSIBLE
// launch: 4x64 in clusters of 2
#include <cooperative_groups.h>

// A thread has to arrive before it waits.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    int *peer = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[i] = in[i];
}
