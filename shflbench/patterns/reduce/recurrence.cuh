// The next value of a lane in `reduce`, from its value and the sum of its group.
#pragma once
#include "shflbench.cuh"

constexpr int WIDTH = OPTION_WIDTH;  // lanes per group; a warp has WARP / WIDTH groups

// f32, f64: x/2 + c[lane] + sum/(2·WIDTH), with c zero on average, preserves the group's sum and keeps the lanes
// different over any number of iterations; the factors are powers of two, so that fused and unfused arithmetic agree.
template <typename T>
__device__ T halved(T x, T sum) {
    const T term = T(2 * (lane() % WIDTH) - (WIDTH - 1)) / WIDTH;
    return x * T(0.5) + term + sum * T(0.5 / WIDTH);
}

// f16, bf16: x + sum + c[lane] modulo 8, from -4 to 4, where c is 1 in the first lane of a group and 0 in the others.
// So all sums, of at most 32 such numbers, are whole numbers of 8 bits, and nothing is rounded. Adding `magic` rounds
// to a multiple of 8.
template <typename T>
__device__ T modulo_8(T x, T sum, T magic) {
    const T total = add(add(x, sum), T(lane() % WIDTH == 0 ? 1.0f : 0.0f));
    return total - ((total + magic) - magic);
}

__device__ inline float advance(float x, float sum) { return halved(x, sum); }
__device__ inline double advance(double x, double sum) { return halved(x, sum); }
__device__ inline float2 advance(float2 x, float2 sum) { return {halved(x.x, sum.x), halved(x.y, sum.y)}; }
__device__ inline float4 advance(float4 x, float4 sum) {
    return {halved(x.x, sum.x), halved(x.y, sum.y), halved(x.z, sum.z), halved(x.w, sum.w)};
}
#if DTYPE_F16
__device__ inline __half advance(__half x, __half sum) { return modulo_8(x, sum, __half(12288.0f)); }
#endif
#if DTYPE_BF16
__device__ inline __nv_bfloat16 advance(__nv_bfloat16 x, __nv_bfloat16 sum) {
    return modulo_8(x, sum, __nv_bfloat16(1536.0f));
}
#endif

// Integers: x + sum, wrapping; an iteration multiplies the group's sum by WIDTH + 1, so it never becomes constant.
__device__ inline int advance(int x, int sum) { return add(x, sum); }
__device__ inline long long advance(long long x, long long sum) { return add(x, sum); }
