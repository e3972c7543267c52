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
