// The sum as CUB computes it. It ends in lane 0; one shuffle more gives it to all lanes.
#include <cub/warp/warp_reduce.cuh>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void reduce_cub(const T* values, T* result, int iterations) {
    using Reduce = cub::WarpReduce<T>;
    __shared__ typename Reduce::TempStorage storage[WARP];  // one for each of the block's warps
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = Reduce(storage[threadIdx.x / WARP]).Sum(x);
        x = advance(x, __shfl_sync(FULL_WARP, sum, 0));
    }
    result[thread()] = x;
}
