//! *
#include "{copied}"
#include "batch.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! smem
    Number* tile = shared<Number>() + threadIdx.x / WARP * ((ROWS * ROW + 3) / 4 * 4);
    const auto sum = [=](const auto& x, auto& sums) { warp_sums(x, sums, tile); };
//! cub
    __shared__ WarpReduce::TempStorage storage[WARP];
    const auto sum = [&](const auto& x, auto& sums) { warp_sums(x, sums, storage[threadIdx.x / WARP]); };
//! butterflies halving redux mma mma-split cub-batched
    const auto sum = [](const auto& x, auto& sums) { warp_sums(x, sums); };
//! *
    Batch<T> batch(values);
    REPEAT(iterations) {
        Number got[RESULTS];
        Sum<T> sums[RESULTS];
//! mma
        sum(batch.word, got);
//! butterflies halving redux mma-split smem cub cub-batched
        Sum<T> number[SUMS];
        Number x[SUMS];
        batch.unpack(number);
        EACH(j, SUMS) x[j] = Number(number[j]);
        sum(x, got);
//! *
        EACH(j, RESULTS) sums[j] = Sum<T>(got[j]);
        if constexpr (ALL) batch.take_all(sums);
        else batch.take_own(sums);
    }
    batch.store(result);
}
