// Every element becomes the mean of itself, the two before and the two after it; the first two and the last two of the
// whole array become zero. Each thread has PER_THREAD consecutive elements (blocked arrangement), of which it loads and
// stores 16 bytes at a time. It needs two elements on either side, which belong to its neighbors.
#include "copied/global.cuh"
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_blocked_global(const T* x, T* y, int count) {
    shflbench::global::moving_average(x, y, count);
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_blocked_smem(const T* x, T* y, int count) {
    shflbench::smem::moving_average(x, y, count, shared<shflbench::smem::Pair>());
}

template <typename T>
__global__ void LAUNCH_BOUNDS my_moving_average_blocked_shfl(const T* x, T* y, int count) {
    shflbench::shfl::moving_average(x, y, count);
}
