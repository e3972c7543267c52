// The sum by the instruction of sm_80, in a source of its own, which older GPUs need not compile.
#include "copied/redux.cuh"
#include "shflbench.cuh"
#include "sums.cuh"

// One instruction sums the integers of a warp.
template <typename T>
__global__ void LAUNCH_BOUNDS my_device_reduce_redux(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::redux::add_sum<BLOCK>(values, ALL, total, of_warps);
}
