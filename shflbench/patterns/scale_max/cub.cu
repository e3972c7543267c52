// The largest magnitude by CUB. The first lane of the group gets it; one more shuffle gives it to all lanes.
#include "copied/cub.cuh"
#include "shflbench.cuh"
#include "values.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS scale_max_cub(const unsigned* states, unsigned* result, int iterations) {
    using shflbench::cub::LANES;
    __shared__ shflbench::cub::WarpReduce::TempStorage storage[WARP * (WARP / LANES)];  // one per group of the block
    Values<T> values(states);
    REPEAT(iterations) {
        values.advance(shflbench::cub::largest_magnitude(values.own(), storage[threadIdx.x / LANES]));
    }
    values.store(result);
}
