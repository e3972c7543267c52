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

// An exclusive sum is the inclusive one without the lane's own value. Integers subtract it; in floating
// point that would round differently, so that the inclusive sums move up by one lane, one exchange more.
template <typename T>
constexpr bool MOVES_UP = EXCLUSIVE && !IS_INTEGER<T>;

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

// The same from the inclusive sum, moved up by one lane where MOVES_UP. Integers take off the lane's value, which
// is to add its complement and 1.
template <typename T>
__device__ T advance_from_inclusive(T x, T sum) {
    if constexpr (EXCLUSIVE && IS_INTEGER<T>) sum = add(sum, add(~x, T(1)));
    return advance(x, sum);
}
