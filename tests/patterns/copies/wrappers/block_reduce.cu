//! *
#include "{copied}"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! smem smem-syncwarp
    T* slots = shared<T>();
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, slots); };
//! smem-warps smem-warps-shfl
    __shared__ T slots[BLOCK + WARPS + ALL];
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, slots); };
//! raking
    __shared__ T slots[BLOCK + WARP + ALL];
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, slots); };
//! raking-columns
    __shared__ T slots[BLOCK + ALL];
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, slots); };
//! shfl redux cg
    __shared__ T sums[WARPS];
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, sums); };
//! shfl-loads
    __shared__ __align__(16) T sums[WARPS];
    const auto sum = [](T x) { return block_sum<BLOCK>(x, sums); };
//! shfl-first-warp
    __shared__ T sums[WARPS + 1];
    const auto sum = [=](T x) { return block_sum<BLOCK>(x, sums); };
//! shfl-once
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, now, next); };
//! shfl-loads-once smem8-shfl-once redux-loads-once
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
//! shfl-loads-once redux-loads-once
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, now, next); };
//! smem8-shfl-once
    __shared__ __align__(16) T slots[BLOCK];
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, slots, now, next); };
//! atomic
    __shared__ T sums[3];
    if (threadIdx.x < 3) sums[threadIdx.x] = 0;
    __syncthreads();
    T *now = &sums[0], *next = &sums[1], *last = &sums[2];
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, now, next, last); };
//! cub cub-raking
    __shared__ typename BlockReduce<BLOCK>::TempStorage storage;
    const auto sum = [&](T x) { return block_sum<BLOCK>(x, storage); };
//! *
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, sum(x));
    result[thread()] = x;
}
