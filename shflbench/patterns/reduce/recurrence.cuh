// The next value of a lane in `reduce`, from its value and the sum of its group.
#pragma once
#include "shflbench.cuh"

constexpr int WIDTH = OPTION_WIDTH;  // lanes per group; a warp has WARP / WIDTH groups

// Pairs of 16-bit numbers, which a warp exchanges and adds as one word.
#if DTYPE_F16X2
__device__ inline __half2 add(__half2 a, __half2 b) { return __hadd2(a, b); }
#endif
#if DTYPE_BF16X2
__device__ inline __nv_bfloat162 add(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); }
#endif

// f32, f64: x/2 + c[lane] + sum/(2·WIDTH), with c zero on average, preserves the group's sum and keeps the lanes
// different over any number of iterations; the factors are powers of two, so that fused and unfused arithmetic agree.
template <typename T>
__device__ T halved(T x, T sum) {
    const T term = T(2 * (lane() % WIDTH) - (WIDTH - 1)) / WIDTH;
    return x * T(0.5) + term + sum * T(0.5 / WIDTH);
}

// f16, bf16, and pairs of them: x + sum + c[lane] modulo 8, from -4 to 4, where c is 1 in the first lane of a group and
// 0 in the others. So all sums, of at most 32 such numbers, are whole numbers of 8 bits, and nothing is rounded. Adding
// `magic` rounds to a multiple of 8.
__device__ inline float constant() { return lane() % WIDTH == 0 ? 1.0f : 0.0f; }
template <typename T>
__device__ T modulo_8(T x, T sum, T term, T magic) {
    const T total = add(add(x, sum), term);
    return total - ((total + magic) - magic);
}

__device__ inline float advance(float x, float sum) { return halved(x, sum); }
__device__ inline double advance(double x, double sum) { return halved(x, sum); }
__device__ inline float2 advance(float2 x, float2 sum) { return {halved(x.x, sum.x), halved(x.y, sum.y)}; }
__device__ inline float4 advance(float4 x, float4 sum) {
    return {halved(x.x, sum.x), halved(x.y, sum.y), halved(x.z, sum.z), halved(x.w, sum.w)};
}
#if DTYPE_F16
__device__ inline __half advance(__half x, __half sum) {
    return modulo_8(x, sum, __half(constant()), __half(12288.0f));
}
#endif
#if DTYPE_F16X2
__device__ inline __half2 advance(__half2 x, __half2 sum) {
    return modulo_8(x, sum, __float2half2_rn(constant()), __float2half2_rn(12288.0f));
}
#endif
#if DTYPE_BF16
__device__ inline __nv_bfloat16 advance(__nv_bfloat16 x, __nv_bfloat16 sum) {
    return modulo_8(x, sum, __nv_bfloat16(constant()), __nv_bfloat16(1536.0f));
}
#endif
#if DTYPE_BF16X2
__device__ inline __nv_bfloat162 advance(__nv_bfloat162 x, __nv_bfloat162 sum) {
    return modulo_8(x, sum, __float2bfloat162_rn(constant()), __float2bfloat162_rn(1536.0f));
}
#endif

// Integers: x + sum, wrapping; an iteration multiplies the group's sum by WIDTH + 1, so it never becomes constant.
__device__ inline int advance(int x, int sum) { return add(x, sum); }
__device__ inline long long advance(long long x, long long sum) { return add(x, sum); }
