//! *
#include "{copied}"
#include "combine.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! shuffles adds wide-adds redux
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, now, next); };
//! cub
    __shared__ typename BlockReduce<BLOCK>::TempStorage storage;
    __shared__ T all;
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, storage, all); };
//! *
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, sum(x));
    result[thread()] = x;
}
