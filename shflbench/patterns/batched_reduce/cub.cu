// SUMS sums over the 32 lanes of a warp at once, by CUB.
#if __has_include(<cub/warp/warp_reduce_batched.cuh>)
#include <cub/warp/warp_reduce_batched.cuh>
#else
#include <cub/warp/warp_reduce.cuh>
#endif

#include "batch.cuh"
#include "shflbench.cuh"

#if __has_include(<cub/warp/warp_reduce_batched.cuh>)
template <typename S>
using Reduce = cub::WarpReduceBatched<S, SUMS>;
template <typename S>
__device__ void sums_of_lanes(Reduce<S> reduce, const S (&values)[SUMS], S (&own)[OWN]) {
    reduce.SumToStriped(values, own);
}
#else  // CCCL before 3.4: one by one, each in lane 0
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
#endif

template <typename T>
__global__ void batched_reduce_cub(const T* values, T* result, int iterations) {
    using S = Sum<T>;
    __shared__ typename Reduce<S>::TempStorage storage[WARP];  // one per warp of the block
    Batch<T> batch(values);
    REPEAT(iterations) {
        S sum[SUMS], own[OWN];
        batch.unpack(sum);
        sums_of_lanes<S>(Reduce<S>(storage[threadIdx.x / WARP]), sum, own);
        batch.take_own(own);
    }
    batch.store(result);
}
