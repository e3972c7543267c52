// The counts by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "bins.cuh"
#include "copied/redux-block.cuh"
#include "copied/redux.cuh"
#include "shflbench.cuh"

// Each lane counts its own elements, then one instruction sums up the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_redux(const T* values, T* counts, int) {
    shflbench::redux::add_lane_counts(counts, count_of_lane(values));
}

// Each lane counts its own elements, then one instruction sums up the warp, and a block the counts of its warps.
template <typename T>
__global__ void LAUNCH_BOUNDS count_redux_block(const T* values, T* counts, int) {
    shflbench::redux_block::add_lane_counts(counts, count_of_lane(values), shared<T>());
}
