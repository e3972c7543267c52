// What a lane makes of the warp's values, the same in every variant.
#pragma once
#include "shflbench.cuh"

// What one load can bring.
template <typename T>
struct alignas(16) Wide {
    static constexpr int COUNT = 16 / sizeof(T);
    T values[COUNT];
};

// How far apart two values are: |a - b| in floating point, (a - b)^2 in integers, which wrap around.
__device__ inline float distance(float a, float b) { return fabsf(a - b); }
__device__ inline double distance(double a, double b) { return fabs(a - b); }
__device__ inline int distance(int a, int b) {
    const unsigned apart = unsigned(a) - unsigned(b);
    return int(apart * apart);
}

// Differs from lane to lane.
template <typename T>
__device__ T lane_term() { return T(2 * lane() - (WARP - 1)) / WARP; }

// The lane's next value, so that each trip depends on the last. Floating point: x/2 + c[lane] + sum/128 stays
// bounded and keeps the lanes different; the factors are powers of two, so that fused and unfused arithmetic agree.
// Integers: x + sum, wrapping; two warps that differ in one value or more differ ever after.
template <typename T>
__device__ T advance(T x, T sum) {
    if constexpr (T(1) / T(2) != T(0)) {
        return x * T(0.5) + lane_term<T>() + sum * T(1.0 / 128);
    } else {
        return add(x, sum);
    }
}
