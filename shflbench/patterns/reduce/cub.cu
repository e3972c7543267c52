// The sum by CUB. The first lane of the group gets it; one more shuffle gives it to all lanes.
#if OPTION_WIDTH_32
#include "copied/cub.cuh"
namespace copied = shflbench::cub;
#else
#include "copied/cub-group.cuh"
namespace copied = shflbench::cub_group;
#endif
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_cub(const T* values, T* result, int iterations) {
    __shared__ copied::WarpReduce::TempStorage storage[WARP * (WARP / WIDTH)];  // one per group of the block
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, copied::warp_sum(x, storage[threadIdx.x / WIDTH]));
    result[thread()] = x;
}
