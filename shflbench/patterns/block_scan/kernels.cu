// Each thread gets the sum of its own value and those of the lower threads of its block, or of those alone.
#include "copied/raking-shfl.cuh"
#include "copied/shfl-first-warp.cuh"
#include "copied/shfl-loads-once.cuh"
#include "copied/shfl-once.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-tree.cuh"
#include "copied/smem.cuh"
#include "copied/smem8-shfl-once.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Over distances that double, each thread adds the sum of a lower thread so far. Two buffers, one barrier per exchange:
// while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + BLOCK;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::block_prefix_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// A tree in shared memory with 2·BLOCK additions instead of log2(BLOCK)·BLOCK. On the way up, the last slot of each
// span of slots gets the sum of the span. On the way down, it gets the sum of all slots below the span: the lower half
// of a span has that sum below it, the upper half that of the lower half in addition.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_tree(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_tree::block_prefix_sum<BLOCK>(x, slots));
    result[thread()] = x;
}

// The slots of a warp, one per lane, with half as many zeros below them: a lane that adds the slot 16 below its own, or
// a closer one, needs no condition. All threads of the block must call it.
template <typename T>
__device__ T* slots_of_warp() {
    T* slots = shared<T>() + first_of_warp() / 2 * 3 + WARP / 2;
    if (lane() < WARP / 2) slots[lane() - WARP / 2] = 0;
    __syncthreads();
    return slots;
}

// Scans within the warps, then the first warp scans the warps' sums; synchronizing a warp is enough for both. Two
// barriers, around the second scan: `sums` is written again after the second barrier, `below` after the next first.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_syncwarp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    T* slots = slots_of_warp<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::block_prefix_sum<BLOCK>(x, slots, sums, below));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <int COUNT, typename T>
__device__ T scan_of_warp_unsafe(T sum, volatile T* slots) {
    for (int distance = 1; distance < COUNT; distance *= 2) {
        slots[lane()] = sum;
        sum = add(sum, T(slots[lane() - distance]));
    }
    return sum;
}

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem_unsafe(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    volatile T* slots = slots_of_warp<T>();
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = scan_of_warp_unsafe<WARP>(x, slots);
        if (lane() == WARP - 1) sums[warp()] = sum;
        sum = finish_scan(x, sum, [=](T inclusive) {
            slots[lane()] = inclusive;
            return T(slots[lane() - 1]);
        });
        __syncthreads();
        if (warp() == 0) {
            const T of_warps = scan_of_warp_unsafe<WARPS>(lane() < WARPS ? sums[lane()] : T(0), slots);
            if (lane() < WARPS) below[1 + lane()] = of_warps;
        }
        __syncthreads();
        x = advance(x, add(below[warp()], sum));
    }
    result[thread()] = x;
}

// Scans within the warps; then each warp adds the sums of the lower warps. One barrier between the writes of the warps'
// sums and their reads, one between those reads and the next writes.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::block_prefix_sum<BLOCK>(x, sums));
    result[thread()] = x;
}

// Only the first warp scans the warps' sums; all threads read the results from shared memory. No further barrier is
// needed: `sums` is written again after the second barrier, `below` after the next first.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_first_warp(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS], below[1 + WARPS];
    if (threadIdx.x == 0) below[0] = 0;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_first_warp::block_prefix_sum<BLOCK>(x, sums, below));
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other. It cannot write the
// first again before the next barrier, at which all warps have read it.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_once(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_once::block_prefix_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// Slots for the warps' sums, at least as many as one load reads.
template <typename T>
constexpr int SUMS = WARPS > int(16 / sizeof(T)) ? WARPS : 16 / sizeof(T);

// As the kernel before, but wide loads and additions under conditions replace the second stage of shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_shfl_loads_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T sums[2][SUMS<T>];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl_loads_once::block_prefix_sum<BLOCK>(x, now, next));
    result[thread()] = x;
}

// The same, with scans within the warps by groups of eight lanes through shared memory, and shifted copies of the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_smem8_shfl_once(const T* values, T* result, int iterations) {
    namespace copied = shflbench::smem8_shfl_once;
    constexpr int ELEMENTS = copied::Shifted<BLOCK>::ELEMENTS;
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T sums[2][ELEMENTS];
    static_assert(ELEMENTS <= BLOCK);
    if (threadIdx.x < ELEMENTS) sums[0][threadIdx.x] = sums[1][threadIdx.x] = 0;
    __syncthreads();
    auto now = copied::warp_sums_in<BLOCK>(sums[0]), next = copied::warp_sums_in<BLOCK>(sums[1]);
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, copied::block_prefix_sum<BLOCK>(x, slots, now, next));
    result[thread()] = x;
}

// The first warp scans all values, several adjacent ones per lane. One barrier after their writes, one after those of
// the sums.
template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_raking_shfl(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK];
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::raking_shfl::block_prefix_sum<BLOCK>(x, slots));
    result[thread()] = x;
}
