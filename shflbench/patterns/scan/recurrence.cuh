// What one trip of `scan` makes of a lane's value and the sum of the values below it.
#pragma once
#include "shflbench.cuh"

#if OPTION_KIND_EXCLUSIVE
constexpr bool EXCLUSIVE = true;
#else
constexpr bool EXCLUSIVE = false;
#endif

template <typename T>
constexpr bool IS_INTEGER = T(1) / T(2) == T(0);

// Takes a multiple of 2^18 (2^47 for double) off a sum of whole numbers. The constant is so large that
// adding it rounds to such multiples, so that every step is exact.
__device__ inline float wrap(float sum) { return sum - ((sum + 0x1.8p41f) - 0x1.8p41f); }
__device__ inline double wrap(double sum) { return sum - ((sum + 0x1.8p99) - 0x1.8p99); }

// The next value: the scan's result mixed with a multiple of the lane's own. The multiple is even where the
// result holds the lane's value already and odd where it does not: then different values always have
// different successors, nothing is lost in any number of trips. Integers mix by xor, which the compiler
// cannot combine with the sums.
template <typename T>
__device__ T advance(T x, T result) {
    if constexpr (IS_INTEGER<T>) {
        const T twice = add(x, x);
        return result ^ (EXCLUSIVE ? add(x, add(twice, twice)) : twice);
    } else {
        return wrap(result + x * T(EXCLUSIVE ? 5 : 2));
    }
}

// An exclusive sum is the inclusive one without the lane's own value. Integers subtract it, which is to add its
// complement and 1. In floating point that would round differently: there `shift_up`, one exchange more, gives each lane
// the inclusive sum of the lane below, and the first lane 0.
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

// The same through shared memory, synchronized as the kernel's other exchanges are.
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

// The same through the first of two buffers, which then change places.
template <typename T>
__device__ T finish_scan(T x, T sum, T*& now, T*& next) {
    sum = finish_scan(x, sum, now, [] { __syncthreads(); }, [] {});
    if (EXCLUSIVE && !IS_INTEGER<T>) swap(now, next);
    return sum;
}
