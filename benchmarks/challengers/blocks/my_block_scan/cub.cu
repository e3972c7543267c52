// The sums by CUB.
#include "copied/cub-raking.cuh"
#include "copied/cub.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_cub(const T* values, T* result, int iterations) {
    __shared__ typename shflbench::cub::BlockScan<BLOCK>::TempStorage storage;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub::block_prefix_sum<BLOCK>(x, storage));
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_cub_raking(const T* values, T* result, int iterations) {
    __shared__ typename shflbench::cub_raking::BlockScan<BLOCK>::TempStorage storage;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub_raking::block_prefix_sum<BLOCK>(x, storage));
    result[thread()] = x;
}
