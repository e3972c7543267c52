// The sums by CUB. The barrier of each iteration comes between the reads of CUB's memory and the next writes.
#include <cub/block/block_scan.cuh>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T, cub::BlockScanAlgorithm ALGORITHM>
__device__ void scan_by_cub(const T* values, T* result, int iterations) {
    using Scan = cub::BlockScan<T, BLOCK, ALGORITHM>;
    __shared__ typename Scan::TempStorage storage;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum;
        if constexpr (EXCLUSIVE) Scan(storage).ExclusiveSum(x, sum); else Scan(storage).InclusiveSum(x, sum);
        __syncthreads();
        x = advance(x, sum);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_cub(const T* values, T* result, int iterations) {
    scan_by_cub<T, cub::BLOCK_SCAN_WARP_SCANS>(values, result, iterations);
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_cub_raking(const T* values, T* result, int iterations) {
    scan_by_cub<T, cub::BLOCK_SCAN_RAKING>(values, result, iterations);
}
