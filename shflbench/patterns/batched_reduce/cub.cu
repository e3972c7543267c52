// SUMS sums over the 32 lanes of a warp by CUB, one by one, each in lane 0.
#include <cub/warp/warp_reduce.cuh>

#include "batch.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_cub(const T* values, T* result, int iterations) {
    using S = Sum<T>;
    using Reduce = cub::WarpReduce<S>;
    __shared__ typename Reduce::TempStorage storage[WARP];  // one per warp of the block
    Batch<T> batch(values);
    REPEAT(iterations) {
        S x[SUMS], sums[SUMS], own[OWN];
        batch.unpack(x);
        EACH(j, SUMS) {
            sums[j] = shfl(Reduce(storage[threadIdx.x / WARP]).Sum(x[j]), 0);
            __syncwarp();
            if (j % WARP == 0 || lane() == j % WARP) own[j / WARP] = sums[j];
        }
        if constexpr (ALL) batch.take_all(sums);
        else batch.take_own(own);
    }
    batch.store(result);
}
