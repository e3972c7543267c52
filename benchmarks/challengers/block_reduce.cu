// Challengers of `block-reduce` if all threads get the sum.
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// The sum of COUNT values as a tree.
template <int COUNT, typename T>
__device__ inline T tree(const T (&x)[COUNT]) {
    if constexpr (COUNT == 1) return x[0];
    else {
        T half[COUNT / 2];
#pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) half[i] = add(x[i], x[i + COUNT / 2]);
        return tree(half);
    }
}
// The sum of the lane's column: of the values of the same lane of all warps, of which the own one is `x`.
template <typename T>
__device__ inline T column_sum(T x, const T (&slots)[WARPS][WARP]) {
    T column[WARPS];
#pragma unroll
    for (int other = 0; other < WARPS; ++other) column[other] = other ? slots[other][lane()] : x;
    return tree(column);
}
// Sums of lanes whose numbers are equal modulo PARTS.
template <int PARTS, typename T>
__device__ inline T sum_to_parts(T sum) {
#pragma unroll
    for (int distance = WARP / 2; distance >= PARTS; distance /= 2) {
        sum = add(sum, __shfl_xor_sync(FULL_WARP, sum, distance));
    }
    return sum;
}
template <int PARTS, typename T>
__device__ inline T sum_of_parts(const T* parts) {
    T loaded[PARTS];
#pragma unroll
    for (int i = 0; i < PARTS / Wide<T>::COUNT; ++i) {
        const Wide<T> wide = reinterpret_cast<const Wide<T>*>(parts)[i];
#pragma unroll
        for (int j = 0; j < Wide<T>::COUNT; ++j) loaded[i * Wide<T>::COUNT + j] = wide.values[j];
    }
    return tree(loaded);
}

// raking-columns, whose first warp leaves the last additions to all threads: PARTS sums in place of one.
template <int PARTS, typename T>
__device__ void rake_to_parts(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[WARPS][WARP], parts[PARTS];
    T x = values[thread()];
    REPEAT(iterations) {
        if (warp() > 0) slots[warp()][lane()] = x;
        __syncthreads();
        if (warp() == 0) {
            const T sum = sum_to_parts<PARTS>(column_sum(x, slots));
            if (lane() < PARTS) parts[lane()] = sum;
        }
        __syncthreads();
        x = advance(x, sum_of_parts<PARTS>(parts));
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_parts4(const T* values, T* result, int iterations) {
    rake_to_parts<4>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_parts8(const T* values, T* result, int iterations) {
    rake_to_parts<8>(values, result, iterations);
}

// The same, except that warps only wait where they need what others wrote: at the first barrier the first warp, and at the
// second one all others.
__device__ inline void arrive(int barrier) { asm volatile("barrier.cta.arrive.aligned %0, %1;" :: "r"(barrier), "n"(BLOCK) : "memory"); }
__device__ inline void wait(int barrier) { asm volatile("barrier.cta.sync.aligned %0, %1;" :: "r"(barrier), "n"(BLOCK) : "memory"); }
template <int PARTS, typename T>
__device__ void rake_and_arrive(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[WARPS][WARP], parts[PARTS];
    T x = values[thread()];
    REPEAT(iterations) {
        if (warp() == 0) {
            wait(1);
            const T sum = sum_to_parts<PARTS>(column_sum(x, slots));
            if (lane() < PARTS) parts[lane()] = sum;
            arrive(2);
            __syncwarp();
        } else {
            slots[warp()][lane()] = x;
            arrive(1);
            wait(2);
        }
        x = advance(x, sum_of_parts<PARTS>(parts));
        if (warp() == 0) __syncwarp();  // the first warp has read the parts, which it writes again
    }
    result[thread()] = x;
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_arrive4(const T* values, T* result, int iterations) {
    rake_and_arrive<4>(values, result, iterations);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_arrive8(const T* values, T* result, int iterations) {
    rake_and_arrive<8>(values, result, iterations);
}

// Each lane of the first warp adds up eight values, which it loads 16 bytes at a time.
template <typename T>
__device__ inline T rake_wide(const T* slots) {
    constexpr int LOADS = BLOCK / WARP / Wide<T>::COUNT;
    T sums[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) sums[i] = reinterpret_cast<const Wide<T>*>(slots)[i * WARP + lane()].sum();
    return tree(sums);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_wide4(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK], parts[4];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncthreads();
        if (warp() == 0) {
            const T sum = sum_to_parts<4>(rake_wide(slots));
            if (lane() < 4) parts[lane()] = sum;
        }
        __syncthreads();
        x = advance(x, sum_of_parts<4>(parts));
    }
    result[thread()] = x;
}

// One barrier: sums of groups of 16 lanes by wide loads, of which each thread adds up all.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_smem16_once(const T* values, T* result, int iterations) {
    __shared__ __align__(16) T slots[BLOCK], sums[2][2 * WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        slots[threadIdx.x] = x;
        __syncwarp();
        const T sum = sum_of_parts<16>(&slots[threadIdx.x / 16 * 16]);
        if (lane() % 16 == 0) now[threadIdx.x / 16] = sum;
        __syncthreads();  // also between the reads of the slots and their next writes
        x = advance(x, sum_of_parts<2 * WARPS>(now));
        swap(now, next);
    }
    result[thread()] = x;
}

// One instruction sums 32-bit integers of a warp, and again the sums of warps; one barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_redux_once(const T* values, T* result, int iterations) {
    __shared__ T sums[2][WARPS];
    T *now = sums[0], *next = sums[1];
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = __reduce_add_sync(FULL_WARP, unsigned(x));
        if (lane() == 0) now[warp()] = sum;
        __syncthreads();
        x = advance(x, T(__reduce_add_sync(FULL_WARP, lane() < WARPS ? unsigned(now[lane()]) : 0)));
        swap(now, next);
    }
    result[thread()] = x;
}

__device__ inline void add_shared(int* sum, int x) {
    asm volatile("red.shared.add.u32 [%0], %1;" :: "r"(shared_address(sum)), "r"(x) : "memory");
}
// By lane 0 only.
__device__ inline void add_shared_once(int* sum, int x) {
    asm volatile("{\n\t.reg .pred first;\n\tsetp.eq.s32 first, %2, 0;\n\t@first red.shared.add.u32 [%0], %1;\n\t}"
                 :: "r"(shared_address(sum)), "r"(x), "r"(lane()) : "memory");
}

// One instruction sums the integers of a warp, and an atomic addition adds up those sums. Two counters in turn, which are never
// cleared: threads remember what they had before. A counter is read after one barrier and written again after the next one.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_redux_red(const T* values, T* result, int iterations) {
    __shared__ T sums[2];
    if (threadIdx.x < 2) sums[threadIdx.x] = 0;
    __syncthreads();
    // Lanes differ in an address in a way that the compiler cannot exclude: else it would add up the lanes' values again.
    const int none = int(gridDim.x >> 31) * lane();
    T *now = &sums[0] + none, *next = &sums[1] + none;
    T before = 0, before_next = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        add_shared_once(now, __reduce_add_sync(FULL_WARP, unsigned(x)));
        __syncthreads();
        const T total = *static_cast<volatile T*>(now);
        x = advance(x, T(unsigned(total) - unsigned(before)));
        before = total;
        swap(now, next);
        swap(before, before_next);
    }
    result[thread()] = x;
}

// Atomic additions to a column per lane, then one instruction that sums the columns.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_columns_red(const T* values, T* result, int iterations) {
    __shared__ T columns[2][WARP];
    if (threadIdx.x < 2 * WARP) columns[threadIdx.x / WARP][lane()] = 0;
    __syncthreads();
    T *now = columns[0] + lane(), *next = columns[1] + lane();
    T before = 0, before_next = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        add_shared(now, x);
        __syncthreads();
        const T total = *static_cast<volatile T*>(now);
        x = advance(x, T(__reduce_add_sync(FULL_WARP, unsigned(total) - unsigned(before))));
        before = total;
        swap(now, next);
        swap(before, before_next);
    }
    result[thread()] = x;
}

// raking-columns with one instruction in place of the butterfly.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_rake_redux(const T* values, T* result, int iterations) {
    __shared__ T slots[WARPS][WARP], all;
    T x = values[thread()];
    REPEAT(iterations) {
        if (warp() > 0) slots[warp()][lane()] = x;
        __syncthreads();
        if (warp() == 0) {
            const T sum = __reduce_add_sync(FULL_WARP, unsigned(column_sum(x, slots)));
            if (lane() == 0) all = sum;
        }
        __syncthreads();
        x = advance(x, all);
    }
    result[thread()] = x;
}

// One instruction sums the integers of a warp, and all lanes of the first warp; one waits where the other needs it.
template <typename T>
__global__ void LAUNCH_BOUNDS my_block_reduce_x_rake_redux_arrive(const T* values, T* result, int iterations) {
    __shared__ T slots[WARPS][WARP], all;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum;
        if (warp() == 0) {
            wait(1);
            sum = __reduce_add_sync(FULL_WARP, unsigned(column_sum(x, slots)));
            if (lane() == 0) all = sum;
            arrive(2);
        } else {
            slots[warp()][lane()] = x;
            arrive(1);
            wait(2);
            sum = all;
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}
