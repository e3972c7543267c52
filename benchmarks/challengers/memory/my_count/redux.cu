// The counts by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "bins.cuh"
#include "copied/redux-block-wide.cuh"
#include "copied/redux-block.cuh"
#include "copied/redux.cuh"
#include "shflbench.cuh"

// Each lane counts its own elements, then one instruction sums up the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_redux(const T* values, T* counts, int) {
    shflbench::redux::add_lane_counts(counts, count_of_lane(values));
}

// Each lane counts its own elements, then one instruction sums up the warp, and a block the counts of its warps.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_redux_block(const T* values, T* counts, int) {
    shflbench::redux_block::add_lane_counts(counts, count_of_lane(values), shared<T>());
}

// The same with loads of 16 bytes, the fewest instructions per element, and one instruction for the counts of warps.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_redux_block_wide(const T* values, T* counts, int) {
    constexpr int VECTORS = PER_THREAD / 4;
    const int4* of_thread = reinterpret_cast<const int4*>(values) + blockIdx.x * (blockDim.x * VECTORS) + threadIdx.x;
    int4 x[VECTORS];
    for (int i = 0; i < VECTORS; ++i) x[i] = of_thread[i * blockDim.x];
    shflbench::redux_block_wide::add_counts(counts, x, shared<T>());
}
