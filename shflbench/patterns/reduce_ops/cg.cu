// The result by cooperative groups.
#include "copied/cg.cuh"
#include "operation.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_cg(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cg::WARP_OPERATION(contribution(x)));
    result[thread()] = x;
}
