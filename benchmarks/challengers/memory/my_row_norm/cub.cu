// Sums by CUB.
#include "normalize.cuh"
#include "rows_cub.cuh"

template <typename T>
__global__ void __launch_bounds__(BLOCK, RESIDENT<T, BLOCK>)
my_row_norm_cub(const T* x, const T* weight, const T* bias, T* y) {
    normalize_rows(CubTeam(), x, weight, bias, y);
}
