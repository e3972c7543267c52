// The loads of `global` from L2, by an instruction of sm_90, in a source of its own, which older GPUs need not compile.
#include "copied/prefetch.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_prefetch(const T* x, T* y, int count) {
    shflbench::prefetch::moving_average(x, y, count);
}
