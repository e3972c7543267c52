// All lanes get the result of an operation over the warp's values, by one instruction.
#include "copied/redux.cuh"
#include "operation.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_redux(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux::WARP_OPERATION(contribution(x)));
    result[thread()] = x;
}
