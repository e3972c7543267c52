// The sums by CUB.
#include <cub/warp/warp_scan.cuh>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS scan_cub(const T* values, T* result, int iterations) {
    using Scan = cub::WarpScan<T>;
    __shared__ typename Scan::TempStorage storage[WARP];  // one per warp of the block
    T x = values[thread()];
    REPEAT(iterations) {
        Scan scan(storage[threadIdx.x / WARP]);
        T sum;
        if constexpr (EXCLUSIVE) scan.ExclusiveSum(x, sum); else scan.InclusiveSum(x, sum);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
