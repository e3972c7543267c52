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

// Named barriers: warps wait only for those with which they exchange values. A structure, not a lambda with a parameter of
// type `auto`, which NVRTC 13.0 takes for a function of the host.
template <typename T>
struct TimedPair {
    T& x;
    T (&slots)[2][OPTION_CLUSTER * BLOCK];
    int iterations;

    template <typename Pair>
    __device__ void operator()(Pair pair) const {
        using namespace shflbench::larger_block_pairs;
        REPEAT(iterations) x = mix(x, exchange<BLOCK>(x, slots, pair, iteration));
    }
};
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_exchange_larger_block_pairs(const T* values, T* result, int iterations) {
    __shared__ T slots[2][OPTION_CLUSTER * BLOCK];
    T x = values[thread()];
    shflbench::larger_block_pairs::as_pair<BLOCK>(TimedPair<T>{x, slots, iterations});
    result[thread()] = x;
}
