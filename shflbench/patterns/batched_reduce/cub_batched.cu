// SUMS sums over the 32 lanes of a warp at once, by CUB.
#include "batch.cuh"
#include "copied/cub-batched.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_cub_batched(const T* values, T* result, int iterations) {
    Batch<T> batch(values);
    REPEAT(iterations) {
        Sum<T> x[SUMS], sums[RESULTS];
        batch.unpack(x);
        shflbench::cub_batched::warp_sums(x, sums);
        batch.take(sums);
    }
    batch.store(result);
}
