// The part of a block sum that is the same in all kernels of `block-combine`: the next value of a thread.
#pragma once
#include "modulo.cuh"
#include "shflbench.cuh"

constexpr int WARPS = BLOCK / WARP;  // warps per block

// The sum of the block grows by a factor of BLOCK + 1, which is odd, so that no difference is lost.
template <typename T>
__device__ T advance(T x, T sum) { return modulo(add(x, sum)); }
