// What one trip of `reduce` makes of a lane's value and the warp's sum.
#pragma once
#include "shflbench.cuh"

// Differs from lane to lane and sums to zero over the warp.
template <typename T>
__device__ T lane_term() { return T(2 * lane() - (WARP - 1)) / WARP; }

// Floating point: x/2 + c[lane] + sum/64 keeps the warp's sum as it is and the lanes different, however
// often it is repeated; the factors are powers of two, so that fused and unfused arithmetic agree.
// Integers: x + sum, wrapping; the warp's sum grows 33-fold a trip and never becomes a constant.
template <typename T>
__device__ T advance(T x, T sum) {
    if constexpr (T(1) / T(2) != T(0)) {
        return x * T(0.5) + lane_term<T>() + sum * T(1.0 / 64);
    } else {
        return add(x, sum);
    }
}
