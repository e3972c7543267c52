// SUMS sums over the 32 lanes of a warp by CUB, one by one, each in lane 0.
#include "batch.cuh"
#include "copied/cub.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_cub(const T* values, T* result, int iterations) {
    __shared__ shflbench::cub::WarpReduce::TempStorage storage[WARP];  // one per warp of the block
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::cub::warp_sums(x, sums, storage[threadIdx.x / WARP]);
        batch.take(sums);
    }
    batch.store(result);
}
