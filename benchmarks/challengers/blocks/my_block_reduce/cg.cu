// The sum by cooperative groups: within tiles of a warp, then again over the warps' sums.
#include "copied/cg.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cg(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cg::block_sum<BLOCK>(x, sums));
    result[thread()] = x;
}
