//! *
#include "{copied}"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! smem
    T *now = shared<T>(), *next = now + BLOCK;
    const auto scan = [&](T x) { return block_prefix_sum<BLOCK>(x, now, next); };
//! smem-tree
    T* slots = shared<T>();
    const auto scan = [=](T x) { return block_prefix_sum<BLOCK>(x, slots); };
//! smem-syncwarp shfl-first-warp
    __shared__ T sums[WARPS], below[WARPS + 1];
    if (threadIdx.x == 0) below[0] = 0;
//! smem-syncwarp
    T* slots = shared<T>();
    if (lane() < 16) slots[warp() * 48 + lane()] = 0;
    __syncthreads();
    const auto scan = [=](T x) { return block_prefix_sum<BLOCK>(x, slots, sums, below); };
//! shfl-first-warp
    __syncthreads();
    const auto scan = [=](T x) { return block_prefix_sum<BLOCK>(x, sums, below); };
//! shfl cg
    __shared__ T sums[WARPS];
    const auto scan = [=](T x) { return block_prefix_sum<BLOCK>(x, sums); };
//! shfl-once
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    const auto scan = [&](T x) { return block_prefix_sum<BLOCK>(x, now, next); };
//! shfl-loads-once smem8-shfl-once
    __shared__ __align__(16) T sums[2][WARPS > 16 / sizeof(T) ? WARPS : 16 / sizeof(T)];
    T *now = sums[0], *next = sums[1];
//! shfl-loads-once
    const auto scan = [&](T x) { return block_prefix_sum<BLOCK>(x, now, next); };
//! smem8-shfl-once
    __shared__ __align__(16) T slots[BLOCK];
    const auto scan = [&](T x) { return block_prefix_sum<BLOCK>(x, slots, now, next); };
//! cub cub-raking
    __shared__ typename BlockScan<BLOCK>::TempStorage storage;
    const auto scan = [&](T x) { return block_prefix_sum<BLOCK>(x, storage); };
//! *
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, scan(x));
    result[thread()] = x;
}
