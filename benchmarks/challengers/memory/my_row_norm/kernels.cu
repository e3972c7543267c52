// Each row is divided by the root of its mean square, or shifted and scaled to mean 0 and variance 1. The variants
// differ in the threads that share a row, and in how these sum: rows.cuh.
#include "normalize.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
my_row_norm_smem(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(TreeTeam(), x, weight, bias, y);
}



template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
my_row_norm_shfl_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(LaneTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
my_row_norm_smem_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(WarpTreeTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
my_row_norm_halving_warp(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(HalvingTeam<LANES<T>, AT_ONCE<T>>(), x, weight, bias, y);
}
