// The sum by atomic additions and the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "copied/atomic-columns-redux.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Atomic additions to a column per lane, and one instruction that sums what the columns have grown by.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_atomic_columns_redux(const T* values, T* result, int iterations) {
    using shflbench::atomic_columns_redux::Columns;
    __shared__ T sums[2][WARP];
    if (threadIdx.x < 2 * WARP) sums[threadIdx.x / WARP][lane()] = 0;
    __syncthreads();
    Columns now = {sums[0], 0}, next = {sums[1], 0};
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::atomic_columns_redux::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}
