// What the challengers of block-reduce and block-combine share: the sum of the block to all threads.
#pragma once
#include "shflbench.cuh"

template <typename T>
struct alignas(16) Four { T x[4]; };
template <typename T>
__device__ T sum_of(const Four<T>& four) { return add(add(four.x[0], four.x[1]), add(four.x[2], four.x[3])); }
template <typename T>
__device__ Four<T> four_at(const T* values) { return *reinterpret_cast<const Four<T>*>(values); }

// Which of COUNT warps adds: those of the blocks of an SM are to lie in different partitions of it.
template <int COUNT>
__device__ int adder_of_block() { return (blockIdx.x + blockIdx.x / max(1, gridDim.x / 8)) % COUNT; }

// The sum of the warp's values by groups of eight lanes in `slots`, which are of this warp.
template <typename T>
__device__ T sum_by_groups(T x, T* slots) {
    slots[lane()] = x;
    __syncwarp();
    const T* group = slots + lane() / 8 * 8;
    const T of_group = add(sum_of(four_at(group)), sum_of(four_at(group + 4)));
    const T first = shfl_xor(of_group, 8), second = shfl_xor(of_group, 16), third = shfl_xor(of_group, 24);
    return add(add(of_group, first), add(second, third));
}
template <typename T>
__device__ T sum_by_shuffles(T x, int most = 32) {
    #pragma unroll
    for (int distance = 1; distance < most; distance *= 2) x = add(x, shfl_xor(x, distance));
    return x;
}

// One warp of a block of 256 threads adds up all values: COLUMNS, those of the same lane of all warps, which it loads one
// by one; or else any eight values per lane, by two loads. Then its lanes' sums: GROUPS as in smem8, PARTS by three
// shuffles that leave four sums, which all threads add, or five shuffles.
enum Tail { SHUFFLES, GROUPS, PARTS, REDUX };
template <bool COLUMNS, Tail TAIL, int SPREAD, typename T, typename Next>
__device__ void sum_by_one_warp(const T* values, T* result, int iterations, Next next) {
    static_assert(BLOCK == 256);
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[WARP];
    __shared__ __align__(16) T all[4];
    const int warp = threadIdx.x / WARP, adder = SPREAD > 1 ? adder_of_block<SPREAD>() : 0;
    const bool adds = warp == adder;
    T* const own = &slots[((warp - adder) & 7) * WARP + lane()];
    const T* const column = &slots[lane()];
    const T* const wide = &slots[lane() * 4];
    T x = values[thread()];
    REPEAT(iterations) {
        if (!COLUMNS || !adds) *own = x;
        __syncthreads();
        if (adds) {
            T sum;
            if constexpr (COLUMNS) {
                T of[7];
                #pragma unroll
                for (int i = 0; i < 7; ++i) of[i] = column[(i + 1) * WARP];
                sum = add(add(add(x, of[0]), add(of[1], of[2])), add(add(of[3], of[4]), add(of[5], of[6])));
            } else {
                sum = add(sum_of(four_at(wide)), sum_of(four_at(wide + BLOCK / 2)));
            }
            if constexpr (TAIL == SHUFFLES) sum = sum_by_shuffles(sum);
            else if constexpr (TAIL == PARTS) sum = sum_by_shuffles(sum, 8);
            else if constexpr (TAIL == GROUPS) sum = sum_by_groups(sum, of_lanes);
            else sum = T(__reduce_add_sync(FULL_WARP, int(sum)));
            if constexpr (TAIL == PARTS) {
                if (lane() % 8 == 0) all[lane() / 8] = sum;
            } else {
                if (lane() == 0) all[0] = sum;
            }
        }
        __syncthreads();
        x = next(x, TAIL == PARTS ? sum_of(four_at(all)) : all[0]);
    }
    result[thread()] = x;
}

// smem8-shfl-once, or smem8-wide-adds, except that the thread's own value is added to the sums that come first.
template <bool OWN_FIRST, typename T, typename Next>
__device__ void sum_once(const T* values, T* result, int iterations, Next next) {
    static_assert(BLOCK == 256);
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T sums[2][WARP * 8];
    const int warp = threadIdx.x / WARP;
    T x = values[thread()];
    T *now = sums[0], *other = sums[1];
    REPEAT(iterations) {
        if constexpr (OWN_FIRST) {
            const T sum = sum_by_groups(x, &slots[warp * WARP]);
            if (lane() == 0) now[warp] = sum;
            __syncthreads();
            const T low = sum_of(four_at(now)), high = sum_of(four_at(now + 4));
            x = next(x, add(low, high));
        } else {  // the sums of groups are stored, and shuffles come after the barrier
            slots[threadIdx.x] = x;
            __syncwarp();
            const T* group = slots + threadIdx.x / 8 * 8;
            const T of_group = add(sum_of(four_at(group)), sum_of(four_at(group + 4)));
            if (lane() % 8 == 0) now[threadIdx.x / 8] = of_group;
            __syncthreads();
            const T* part = now + lane() / 8 * 8;
            const T sum = add(sum_of(four_at(part)), sum_of(four_at(part + 4)));
            const T first = shfl_xor(sum, 8), second = shfl_xor(sum, 16), third = shfl_xor(sum, 24);
            x = next(x, add(add(sum, first), add(second, third)));
        }
        swap(now, other);
    }
    result[thread()] = x;
}

// As raking-quarters, in blocks of 1,024 threads. Four warps add up, one per partition of the SM. LOCAL: each adds the
// values of eight adjacent warps, of which it is one, and meets only these, at a named barrier; else it meets all. WIDE:
// it loads eight values per lane by two loads.
template <int BARRIER, int COUNT>
__device__ inline void meet() { asm volatile("bar.sync %0, %1;" :: "n"(BARRIER), "n"(COUNT) : "memory"); }

template <typename T>
struct Quarter {
    T *own, *of_lanes, *part;
    const T *from, *parts;
    bool adds;
};

template <bool WIDE, bool LOCAL, int QUARTER, typename T, typename Next>
__device__ T loop_of_quarter(T x, const Quarter<T>& at, int iterations, Next next) {
    T *part = at.part, *next_part = at.part + 4;
    const T *parts = at.parts, *next_parts = at.parts + 4;
    if constexpr (LOCAL && QUARTER < 3) {
        if (int(threadIdx.x) / 256 != QUARTER) return loop_of_quarter<WIDE, LOCAL, QUARTER + 1>(x, at, iterations, next);
    }
    REPEAT(iterations) {
        if (WIDE || !at.adds) *at.own = x;
        if constexpr (LOCAL) meet<1 + QUARTER, 256>();
        else __syncthreads();
        if (at.adds) {
            T sum;
            if constexpr (WIDE) {
                sum = add(sum_of(four_at(at.from)), sum_of(four_at(at.from + 128)));
            } else {
                T of[7];
                #pragma unroll
                for (int i = 0; i < 7; ++i) of[i] = at.from[(i + 1) * WARP];
                sum = add(add(add(x, of[0]), add(of[1], of[2])), add(add(of[3], of[4]), add(of[5], of[6])));
            }
            sum = sum_by_groups(sum, at.of_lanes);
            if (lane() == 0) *part = sum;
        }
        if constexpr (LOCAL) meet<0, BLOCK>();  // of __syncthreads(), in code of a quarter of the warps
        else __syncthreads();
        x = next(x, sum_of(four_at(parts)));
        if constexpr (LOCAL) {  // others may still read what a quarter would write
            swap(part, next_part);
            swap(parts, next_parts);
        }
    }
    return x;
}

template <bool WIDE, bool LOCAL, typename T, typename Next>
__device__ void sum_by_quarters(const T* values, T* result, int iterations, Next next) {
    static_assert(BLOCK == 1024);
    __shared__ __align__(16) T slots[BLOCK];
    __shared__ __align__(16) T of_lanes[4][WARP];
    __shared__ __align__(16) T parts[8];
    const int warp = threadIdx.x / WARP, quarter = warp / 8;
    // Warp `quarter` of the eight adds: these four are in different partitions. Its own row is the first.
    const int row = (warp - quarter) & 7;
    Quarter<T> at;
    at.own = &slots[quarter * 256 + row * WARP + lane()];
    at.from = WIDE ? &slots[quarter * 256 + lane() * 4] : &slots[quarter * 256 + lane()];
    at.of_lanes = of_lanes[quarter];
    at.part = &parts[quarter];
    at.parts = parts;
    at.adds = row == 0;
    T x = values[thread()];
    x = loop_of_quarter<WIDE, LOCAL, 0>(x, at, iterations, next);
    result[thread()] = x;
}
