// The sums by cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__device__ T sum_below(T x) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    if constexpr (EXCLUSIVE) return cg::exclusive_scan(warp, x);
    else return cg::inclusive_scan(warp, x);
}

template <typename T>
__global__ void LAUNCH_BOUNDS scan_cg(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, sum_below(x));
    result[thread()] = x;
}
