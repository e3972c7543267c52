// What a lane computes from the warp's values, equal in every variant.
#pragma once
#include "shflbench.cuh"

// The distance of two values: |a - b| in floating point, (a - b)^2 in integers, which wrap around.
__device__ inline float distance(float a, float b) { return fabsf(a - b); }
__device__ inline double distance(double a, double b) { return fabs(a - b); }
__device__ inline int distance(int a, int b) {
    const unsigned apart = unsigned(a) - unsigned(b);
    return int(apart * apart);
}

// Different in each lane.
template <typename T>
__device__ T lane_term() { return T(2 * lane() - (WARP - 1)) / WARP; }

// The lane's next value: each iteration depends on the one before. Floating point: x/2 + c[lane] + sum/128 stays
// bounded and keeps the lanes different; the factors are powers of two, so that fused and unfused arithmetic agree.
// Integers: x + sum, wrapping; two warps that differ in any value stay different.
template <typename T>
__device__ T advance(T x, T sum) {
    if constexpr (T(1) / T(2) != T(0)) {
        return x * T(0.5) + lane_term<T>() + sum * T(1.0 / 128);
    } else {
        return add(x, sum);
    }
}
