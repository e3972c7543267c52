// The sums by CUB.
#include "copied/cub.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS scan_cub(const T* values, T* result, int iterations) {
    __shared__ shflbench::cub::WarpScan::TempStorage storage[WARP];  // one per warp of the block
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub::prefix_sum(x, storage[threadIdx.x / WARP]));
    result[thread()] = x;
}
