// sound
// launch: 4x64 in clusters of 2
// After wbing520/ai-performance-engineering, cluster_group_blackwell.cu.
#include <cooperative_groups.h>

// Each block writes its sum to global memory, and the first one of the cluster adds them up.
__global__ void k(const int *in, int *out) {
    __shared__ int sum;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        out[blockIdx.x] += out[blockIdx.x + 1];
    }
}
