// Each row is divided by the root of its mean square, or shifted and scaled to mean 0 and variance 1. The variants
// differ in the threads that share a row, and in how these sum: rows.cuh.
#include "copied/shfl-one-row.cuh"
#include "normalize.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
row_norm_smem(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(TreeTeam(), x, weight, bias, y);
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
row_norm_smem_unsafe(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(UnsafeTreeTeam(), x, weight, bias, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
row_norm_shfl_block(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(ShuffleTeam(), x, weight, bias, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
row_norm_shfl_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(LaneTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}

// Short rows: each lane has one row, so that AT_ONCE times as many blocks take the rows of the launch.
template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>>)
row_norm_shfl_one_row(const T* x, const T* weight, const T* bias, T* y) {
    const size_t start = size_t(thread() / LANES<T>) * LENGTH;
#if OPTION_NORM_LAYER
    shflbench::shfl_one_row::normalize_row<LENGTH, LANES<T>>(x + start, weight, bias, y + start);
#else
    shflbench::shfl_one_row::normalize_row<LENGTH, LANES<T>>(x + start, weight, y + start);
#endif
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
row_norm_smem_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(WarpTreeTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
row_norm_halving_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(HalvingTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}
