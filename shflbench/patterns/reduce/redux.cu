// The sum by instructions for 32-bit integers, which GPUs have from sm_80 on.
#include "copied/redux-mask.cuh"
#include "copied/redux-padded.cuh"
#include "copied/redux.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// One instruction sums the warp's 32-bit integers.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux::warp_sum(x));
    result[thread()] = x;
}

// Each group passes a mask of its own. An instruction takes one mask: the groups of a warp take turns.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux_mask(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux_mask::warp_sum(x));
    result[thread()] = x;
}

// All lanes take part in the sum of every group; those of other groups add nothing.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_redux_padded(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux_padded::warp_sum(x));
    result[thread()] = x;
}
