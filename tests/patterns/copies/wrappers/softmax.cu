//! *
#include "{copied}"
#include "rows.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK) {kernel}(const T* x, T* y) {
    const int first = blockIdx.x * ROWS_PER_BLOCK<T>;
//! smem shfl-block
    __shared__ float slots[BLOCK];
    for (int row = first; row < first + ROWS_PER_BLOCK<T>; ++row) {
        const size_t start = size_t(row) * LENGTH;
        softmax_row<LENGTH, BLOCK>(x + start, y + start, slots);
    }
//! cub
    __shared__ RowStorage<BLOCK> slots;
    for (int row = first; row < first + ROWS_PER_BLOCK<T>; ++row) {
        const size_t start = size_t(row) * LENGTH;
        softmax_row<LENGTH, BLOCK>(x + start, y + start, &slots);
    }
//! shfl-warp
    for (int row = threadIdx.x / LANES<T>; row < ROWS_PER_BLOCK<T>; row += BLOCK / LANES<T>) {
        const size_t start = size_t(first + row) * LENGTH;
        softmax_row<LENGTH, LANES<T>>(x + start, y + start);
    }
//! smem-warp
    __shared__ float slots[BLOCK];
    for (int row = threadIdx.x / LANES<T>; row < ROWS_PER_BLOCK<T>; row += BLOCK / LANES<T>) {
        const size_t start = size_t(first + row) * LENGTH;
        softmax_row<LENGTH, LANES<T>>(x + start, y + start, slots);
    }
//! *
}
