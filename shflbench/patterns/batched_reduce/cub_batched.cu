// SUMS sums over the 32 lanes of a warp at once, by CUB.
#include <cub/warp/warp_reduce_batched.cuh>

#include "batch.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS batched_reduce_cub_batched(const T* values, T* result, int iterations) {
    using S = Sum<T>;
    using Reduce = cub::WarpReduceBatched<S, SUMS>;
    __shared__ typename Reduce::TempStorage storage;  // empty: the sums travel by shuffles
    Batch<T> batch(values);
    REPEAT(iterations) {
        S x[SUMS], own[OWN];
        batch.unpack(x);
        Reduce(storage).SumToStriped(x, own);  // sum j is in lane j % 32 only
        if (ALL && SUMS == 1) own[0] = shfl(own[0], 0);
        batch.take_own(own);
    }
    batch.store(result);
}
