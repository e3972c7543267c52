// The sum by CUB's functions for blocks.
#include "copied/cub.cuh"
#include "shflbench.cuh"
#include "sums.cuh"

// Each thread loads 16 bytes at a time, and adds them up in registers until the whole block does.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_cub(const T* values, Sum<T>* total) {
    shflbench::cub::add_sum<BLOCK>(values, ALL, total);
}
