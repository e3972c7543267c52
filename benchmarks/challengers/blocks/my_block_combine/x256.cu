#include "combine.cuh"
#include "rake.cuh"
#define NEXT [](T x, T sum) { return advance(x, sum); }
#define KERNEL(name, ...) \
    template <typename T> \
    __global__ void LAUNCH_BOUNDS my_block_combine_##name(const T* values, T* result, int iterations) { __VA_ARGS__; }
#if 1
KERNEL(x_columns_spread, sum_by_one_warp<true, SHUFFLES, 4>(values, result, iterations, NEXT))
KERNEL(x_wide_spread, sum_by_one_warp<false, SHUFFLES, 4>(values, result, iterations, NEXT))
KERNEL(x_wide_groups_spread, sum_by_one_warp<false, GROUPS, 4>(values, result, iterations, NEXT))
KERNEL(x_columns_parts_spread, sum_by_one_warp<true, PARTS, 4>(values, result, iterations, NEXT))
KERNEL(x_wide_parts_spread, sum_by_one_warp<false, PARTS, 4>(values, result, iterations, NEXT))
KERNEL(x_groups_late, sum_once<false>(values, result, iterations, NEXT))
#endif
