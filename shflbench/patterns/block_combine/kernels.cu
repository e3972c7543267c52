// All threads of a block get the sum of its values: the sums of the warps lie in shared memory and are combined. There are
// two arrays of them, which take turns, so that one barrier per iteration is enough.
#include "combine.cuh"
#include "copied/adds.cuh"
#include "copied/redux.cuh"
#include "copied/shuffles.cuh"
#include "copied/wide-adds.cuh"
#include "shflbench.cuh"

// Each warp loads one sum per lane, and adds them by a butterfly.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_shuffles(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shuffles::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// Each thread loads all sums one by one, and adds them; all lanes read the same address.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_adds(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::adds::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// The same with loads of 16 bytes, or of all sums if they are fewer.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_wide_adds(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::wide_adds::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// Each warp loads one sum per lane, and adds them by one instruction, of integers.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_redux(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}
