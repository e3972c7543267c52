// SUMS sums over the 32 lanes of a warp by CUB, one by one, each in lane 0.
#include <cub/warp/warp_reduce.cuh>

#include "batch.cuh"
#include "shflbench.cuh"

template <typename S>
using Reduce = cub::WarpReduce<S>;
template <typename S>
__device__ void sums_of_lanes(Reduce<S> reduce, const S (&values)[SUMS], S (&own)[OWN]) {
    EACH(j, SUMS) {
        const S sum = shfl(reduce.Sum(values[j]), 0);
        __syncwarp();
        if (j % WARP == 0 || lane() == j % WARP) own[j / WARP] = sum;
    }
}

template <typename T>
__global__ void batched_reduce_cub(const T* values, T* result, int iterations) {
    using S = Sum<T>;
    __shared__ typename Reduce<S>::TempStorage storage[WARP];  // one per warp of the block
    Batch<T> batch(values);
    REPEAT(iterations) {
        S sum[SUMS], own[OWN];
        batch.unpack(sum);
        sums_of_lanes<S>(Reduce<S>(storage[threadIdx.x / WARP]), sum, own);
        if (ALL && SUMS == 1) own[0] = shfl(own[0], 0);  // other kernels leave a single sum in all lanes
        batch.take_own(own);
    }
    batch.store(result);
}
