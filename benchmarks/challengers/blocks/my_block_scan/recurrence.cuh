// The next value of a thread in `block-scan`, from its value and its prefix sum.
#pragma once
#include "modulo.cuh"
#include "shflbench.cuh"

#if OPTION_KIND_EXCLUSIVE
constexpr bool EXCLUSIVE = true;
#else
constexpr bool EXCLUSIVE = false;
#endif

constexpr int WARPS = BLOCK / WARP;  // warps per block

__device__ inline int warp() { return threadIdx.x / WARP; }

// The next value: the prefix sum mixed with a multiple of the thread's own value. The multiple is even if the sum
// already includes the value, and odd if it does not: then different values always have different successors, so no
// difference is lost. Integers mix by xor, which the compiler cannot combine with the sums.
template <typename T>
__device__ T advance(T x, T sum) {
    if constexpr (IS_INTEGER<T>) {
        const T twice = add(x, x);
        return sum ^ (EXCLUSIVE ? add(x, add(twice, twice)) : twice);
    } else {
        return modulo(sum + x * T(EXCLUSIVE ? 5 : 2));
    }
}

// An exclusive sum is the inclusive one without the thread's own value. Integers subtract it, by adding its complement
// and 1. Floating point would round differently: `shift_up`, one more exchange, gives each thread the inclusive sum of
// the thread below, and the first one 0.
template <typename T, typename Exchange>
__device__ T finish_scan(T x, T sum, Exchange shift_up) {
    if constexpr (EXCLUSIVE && IS_INTEGER<T>) return add(sum, add(~x, T(1)));
    else if constexpr (EXCLUSIVE) return shift_up(sum);
    else return sum;
}
