// broken: WAR
// launch: 2x64 in clusters of 2
// After flashinfer-ai/flashinfer, fast_topk_clusters_exact.cuh.
#include <cooperative_groups.h>

// Threads arrive before they read the count that the first thread clears after its wait.
__global__ void k(const int *in, int *out) {
    __shared__ int count[2];
    auto cluster = cooperative_groups::this_cluster();
    int i = blockIdx.x * 64 + threadIdx.x, found = 0;
    if (threadIdx.x < 2) {
        count[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int round = 0; round < 4; round++) {
        int now = round % 2;
        if (in[i] % 4 == round) {
            atomicAdd(&count[now], 1);
        }
        __syncthreads();
        cluster.barrier_arrive();
        found += count[now];
        cluster.barrier_wait();
        if (threadIdx.x == 0) {
            count[now] = 0;
        }
    }
    out[i] = found;
}
