// The exchange of `clusters.cu` in a block with the threads of all blocks of a cluster.
#include "copied/larger-block-pairs.cuh"
#include "copied/larger-block.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS cluster_exchange_larger_block(const T* values, T* result, int iterations) {
    __shared__ T slots[2][OPTION_CLUSTER * BLOCK];
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::larger_block::exchange<BLOCK>(x, slots, iteration));
    result[thread()] = x;
}

// Named barriers: warps wait only for those with which they exchange values.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_exchange_larger_block_pairs(const T* values, T* result, int iterations) {
    using namespace shflbench::larger_block_pairs;
    __shared__ T slots[2][OPTION_CLUSTER * BLOCK];
    T x = values[thread()];
    as_pair<BLOCK>([&](auto pair) {
        REPEAT(iterations) x = mix(x, exchange<BLOCK>(x, slots, pair, iteration));
    });
    result[thread()] = x;
}
