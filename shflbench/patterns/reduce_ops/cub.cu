// The result by CUB. Lane 0 gets it; one more shuffle gives it to all lanes.
#include "copied/cub.cuh"
#include "operation.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_cub(const T* values, T* result, int iterations) {
    __shared__ shflbench::cub::WarpReduce::TempStorage storage[WARP];  // one per warp of the block
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cub::WARP_OPERATION(contribution(x), storage[threadIdx.x / WARP]));
    result[thread()] = x;
}
