// All threads of a block get the sum of its values. But in the last two kernels, the sums of the warps lie in shared
// memory and are combined. There are two arrays of them, which take turns, so that one barrier per iteration is enough.
#include "combine.cuh"
#include "copied/adds.cuh"
#include "copied/raking-columns.cuh"
#include "copied/raking-quarters.cuh"
#include "copied/redux.cuh"
#include "copied/shuffles.cuh"
#include "copied/smem8-wide-adds.cuh"
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

// The warps sum their values by groups of eight lanes through shared memory. Then each lane loads up to eight of the
// sums, 16 bytes at a time; in larger blocks, a butterfly adds up what the lanes have loaded.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_smem8_wide_adds(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem8_wide_adds::block_sum<BLOCK>(x, slots, now, next));
    result[thread()] = x;
}

// Each lane of the first warp adds up a column: its own value, and those of the same lane of all other warps. Then a
// butterfly adds up the columns. The other warps wait: they shuffle nothing, and load one value.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_raking_columns(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK];
    __shared__ T all;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::raking_columns::block_sum<BLOCK>(x, slots, all));
    result[thread()] = x;
}

// The same by four warps, one on each of the SM's four partitions: columns are a quarter as long, and groups of eight
// lanes add them up. All threads add the four sums.
template <typename T>
__global__ void LAUNCH_BOUNDS block_combine_raking_quarters(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T parts[4];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::raking_quarters::block_sum<BLOCK>(x, slots, parts));
    result[thread()] = x;
}
