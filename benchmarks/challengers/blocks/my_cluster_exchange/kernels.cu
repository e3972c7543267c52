// The exchange of `clusters.cu` in a block with the threads of all blocks of a cluster.
#include "copied/larger-block.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS cluster_exchange_larger_block(const T* values, T* result, int iterations) {
    __shared__ T slots[2][OPTION_CLUSTER * BLOCK];
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::larger_block::exchange<BLOCK>(x, slots, iteration));
    result[thread()] = x;
}
