// The next value of a lane in `scan`, from its value and the sum of the lower lanes.
#pragma once
#include "shflbench.cuh"

#if OPTION_KIND_EXCLUSIVE
constexpr bool EXCLUSIVE = true;
#else
constexpr bool EXCLUSIVE = false;
#endif

template <typename T>
constexpr bool IS_INTEGER = T(1) / T(2) == T(0);

// Subtracts a multiple of 2^18 (2^47 for double) from a sum of whole numbers. The constant is so large
// that adding it rounds to such multiples, so every step is exact.
__device__ inline float wrap(float sum) { return sum - ((sum + 0x1.8p41f) - 0x1.8p41f); }
__device__ inline double wrap(double sum) { return sum - ((sum + 0x1.8p99) - 0x1.8p99); }

// The next value: the result of the scan mixed with a multiple of the lane's own value. The multiple is even
// if the result already includes the lane's value, and odd if it does not: then different values always have
// different successors, so no difference is lost. Integers mix by xor, which the compiler cannot combine with
// the sums.
template <typename T>
__device__ T advance(T x, T result) {
    if constexpr (IS_INTEGER<T>) {
        const T twice = add(x, x);
        return result ^ (EXCLUSIVE ? add(x, add(twice, twice)) : twice);
    } else {
        return wrap(result + x * T(EXCLUSIVE ? 5 : 2));
    }
}

// An exclusive sum is the inclusive one without the lane's own value. Integers subtract it, by adding its complement
// and 1. Floating point would round differently: `shift_up`, one more exchange, gives each lane the inclusive sum of
// the lane below, and the first lane 0.
template <typename T, typename Exchange>
__device__ T finish_scan(T x, T sum, Exchange shift_up) {
    if constexpr (EXCLUSIVE && IS_INTEGER<T>) return add(sum, add(~x, T(1)));
    else if constexpr (EXCLUSIVE) return shift_up(sum);
    else return sum;
}

// The same by a shuffle.
template <typename T>
__device__ T finish_scan(T x, T sum) {
    return finish_scan(x, sum, [](T sum) {
        const T below = __shfl_up_sync(FULL_WARP, sum, 1);
        return lane() > 0 ? below : T(0);
    });
}

// The same through shared memory, synchronized like the other exchanges of the kernel.
template <typename T, typename Slots, typename AfterWrite, typename AfterRead>
__device__ T finish_scan(T x, T sum, Slots* slots, AfterWrite after_write, AfterRead after_read) {
    return finish_scan(x, sum, [=](T sum) {
        slots[threadIdx.x] = sum;
        after_write();
        const T below = lane() > 0 ? T(slots[threadIdx.x - 1]) : T(0);
        after_read();
        return below;
    });
}

// The same through the first of two buffers, which are then swapped.
template <typename T>
__device__ T finish_scan(T x, T sum, T*& now, T*& next) {
    sum = finish_scan(x, sum, now, [] { __syncthreads(); }, [] {});
    if (EXCLUSIVE && !IS_INTEGER<T>) swap(now, next);
    return sum;
}
