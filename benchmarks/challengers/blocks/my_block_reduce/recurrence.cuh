// The next value of a thread in `block-reduce`, from its value and the sum of the block.
#pragma once
#include "modulo.cuh"
#include "shflbench.cuh"

#if OPTION_RESULT_FIRST
constexpr bool ALL = false;  // only thread 0 needs the sum
#else
constexpr bool ALL = true;  // all threads need it
#endif

constexpr int WARPS = BLOCK / WARP;  // warps per block

// If all threads get the sum, each adds it to its value: the sum of the block grows by a factor of BLOCK + 1, which is
// odd, so that no difference is lost. If only thread 0 gets it, the sum is the next value of thread 0, and the others
// add constants that differ.
template <typename T>
__device__ T advance(T x, T sum) {
    if (ALL) return modulo(add(x, sum));
    return threadIdx.x == 0 ? modulo(sum) : modulo(add(x, T(2 * threadIdx.x + 1)));
}
