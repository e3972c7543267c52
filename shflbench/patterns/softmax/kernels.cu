// Each row becomes its softmax. The variants differ in the threads that share a row, and in how these combine their
// numbers: rows.cuh.
#include "softmax.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
softmax_smem(const T* x, T* y) { softmax_rows(TreeTeam(), x, y); }

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
softmax_smem_unsafe(const T* x, T* y) { softmax_rows(UnsafeTreeTeam(), x, y); }

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
softmax_shfl_block(const T* x, T* y) { softmax_rows(ShuffleTeam(), x, y); }

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
softmax_shfl_warp(const T* x, T* y) {
    softmax_rows(LaneTeam<LANES<T>, AT_ONCE<T>>(), x, y);
}

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, LANES<T>, AT_ONCE<T>>)
softmax_smem_warp(const T* x, T* y) {
    softmax_rows(WarpTreeTeam<LANES<T>, AT_ONCE<T>>(), x, y);
}
