//! *
#include "{copied}"
#include "rows.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK) {kernel}(const T* x, const T* weight, const T* bias, T* y) {
    const int first = blockIdx.x * ROWS_PER_BLOCK<T>;
//! smem shfl-block
    __shared__ float slots[BLOCK];
    for (int row = first; row < first + ROWS_PER_BLOCK<T>; ++row) {
        const size_t start = size_t(row) * LENGTH;
        normalize_row<LENGTH, BLOCK>(x + start, weight, y + start, slots);  //! norm=rms
        normalize_row<LENGTH, BLOCK>(x + start, weight, bias, y + start, slots);  //! norm=layer
    }
//! cub
    __shared__ RowStorage<BLOCK> slots;
    for (int row = first; row < first + ROWS_PER_BLOCK<T>; ++row) {
        const size_t start = size_t(row) * LENGTH;
        normalize_row<LENGTH, BLOCK>(x + start, weight, y + start, &slots);  //! norm=rms
        normalize_row<LENGTH, BLOCK>(x + start, weight, bias, y + start, &slots);  //! norm=layer
    }
//! shfl-warp
    for (int row = threadIdx.x / LANES<T>; row < ROWS_PER_BLOCK<T>; row += BLOCK / LANES<T>) {
        const size_t start = size_t(first + row) * LENGTH;
        normalize_row<LENGTH, LANES<T>>(x + start, weight, y + start);  //! norm=rms
        normalize_row<LENGTH, LANES<T>>(x + start, weight, bias, y + start);  //! norm=layer
    }
//! halving-warp
    constexpr int GROUPS = BLOCK / LANES<T>, DISTANCE = GROUPS * LENGTH;
    for (int row = threadIdx.x / LANES<T>; row < ROWS_PER_BLOCK<T>; row += GROUPS * AT_ONCE<T>) {
        const size_t start = size_t(first + row) * LENGTH;
        normalize_rows<LENGTH, LANES<T>, AT_ONCE<T>>(x + start, weight, y + start, DISTANCE);  //! norm=rms
        normalize_rows<LENGTH, LANES<T>, AT_ONCE<T>>(x + start, weight, bias, y + start, DISTANCE);  //! norm=layer
    }
//! smem-warp
    __shared__ float slots[BLOCK];
    for (int row = threadIdx.x / LANES<T>; row < ROWS_PER_BLOCK<T>; row += BLOCK / LANES<T>) {
        const size_t start = size_t(first + row) * LENGTH;
        normalize_row<LENGTH, LANES<T>>(x + start, weight, y + start, slots);  //! norm=rms
        normalize_row<LENGTH, LANES<T>>(x + start, weight, bias, y + start, slots);  //! norm=layer
    }
//! *
}
