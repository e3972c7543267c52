// All threads of a block, or only thread 0, get the sum of the block's values.
#include "copied/atomic.cuh"
#include "copied/raking-columns.cuh"
#include "copied/raking.cuh"
#include "copied/redux-loads-once.cuh"
#include "copied/redux.cuh"
#include "copied/shfl-first-warp.cuh"
#include "copied/shfl-loads-once.cuh"
#include "copied/shfl-loads.cuh"
#include "copied/shfl-once.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-warps-shfl.cuh"
#include "copied/smem-warps.cuh"
#include "copied/smem.cuh"
#include "copied/smem8-shfl-once.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// A tree in shared memory: in each step, the lower half of the threads adds the values of the upper half. One barrier
// per step; with ALL, one more between the read of the sum and the next write of its slot.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// The same tree. Its last five steps concern only the first warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// UNSAFE: in its last five steps, the tree relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        slots[mine] = sum;
        __syncthreads();
        for (int half = BLOCK / 2; half >= WARP; half /= 2) {
            if (mine < half) slots[mine] = sum = add(sum, slots[mine + half]);
            __syncthreads();
        }
        if (mine < WARP) {
            for (int half = WARP / 2; half > 0; half /= 2) {
                if (mine < half) {
                    sum = add(sum, volatile_load(&slots[mine + half]));
                    volatile_store(&slots[mine], sum);
                }
            }
        }
        if (ALL) {
            __syncthreads();
            sum = slots[0];
            __syncthreads();
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

// Each warp sums its values by a tree in its own part of shared memory, and the first warp sums the warps' sums by
// another one: two block barriers, as with shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_warps(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK + WARPS + ALL];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_warps::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// Shuffles within the warps, and again in each warp that needs the sum. One barrier between the writes of the warps'
// sums and their reads, one between those reads and the next writes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::block_sum<BLOCK>(x, sums));
    result[thread()] = x;
}

// Only the first warp adds the warps' sums; all threads read the result from shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_first_warp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS + 1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_first_warp::block_sum<BLOCK>(x, sums));
    result[thread()] = x;
}

// The same, except that the warps sum their values by trees in shared memory: shuffles add the warps' sums only.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem_warps_shfl(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK + WARPS + ALL];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_warps_shfl::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// Each lane of the first warp adds up a row of adjacent values, one after another. An unused slot at the end of a row
// makes the distance between rows odd, so that the lanes read from different banks.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_raking(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK + WARP + ALL];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::raking::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// Each lane of the first warp adds up a column: its own value, and those of the same lane of all other warps. The lanes
// of a warp write and read adjacent slots, so that no padding is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_raking_columns(const T* values, T* result, int iterations) {
    __shared__ T slots[BLOCK + ALL];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::raking_columns::block_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// Each thread that needs the sum loads the sums of all warps, 16 bytes at a time, and adds them up: in place of a
// second butterfly, loads of the same address by all lanes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_loads(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_loads::block_sum<BLOCK>(x, sums));
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other. It cannot write the
// first again before the next barrier, at which all warps have read it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_once(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_once::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// One instruction sums the 32-bit integers of a warp, and one the warps' sums.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_redux(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux::block_sum<BLOCK>(x, sums));
    result[thread()] = x;
}

// Shuffles within the warps, then one atomic addition per warp in shared memory. One barrier: `now` receives the sums
// of an iteration, `next` is zero, and `last`, which all threads have read before the barrier, is cleared after it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_atomic(const T* values, T* result, int iterations) {
    __shared__ T sums[3];
    if (threadIdx.x < 3) sums[threadIdx.x] = 0;
    __syncthreads();
    T *now = &sums[0], *next = &sums[1], *last = &sums[2];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::atomic::block_sum<BLOCK>(x, now, next, last));
    result[thread()] = x;
}

// As `shfl-loads`, with two buffers and one barrier as in `shfl-once`.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_shfl_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_loads_once::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// The same, except that the warps sum their values by groups of eight lanes through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_smem8_shfl_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem8_shfl_once::block_sum<BLOCK>(x, slots, now, next));
    result[thread()] = x;
}

// One instruction sums the 32-bit integers of a warp; then as before.
template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_redux_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux_loads_once::block_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}
