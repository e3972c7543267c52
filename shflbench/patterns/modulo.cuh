// Whole numbers modulo a power of two, with which the sums of a block are exact in any order.
//
// Values of f32 lie between -2^13 and 2^13, those of f64 between -2^42 and 2^42. The sum of 1,024 of them, and of five
// more, is below 2^24 or 2^53, so that no order of additions rounds. Integers wrap around in their type.
#pragma once

template <typename T>
constexpr bool IS_INTEGER = T(1) / T(2) == T(0);

// Subtracts a multiple of 2^14 (2^43 for double) from a sum of whole numbers. The constant is so large that adding it
// rounds to such multiples, so every step is exact.
__device__ inline float modulo(float sum) { return sum - ((sum + 0x1.8p37f) - 0x1.8p37f); }
__device__ inline double modulo(double sum) { return sum - ((sum + 0x1.8p95) - 0x1.8p95); }
__device__ inline int modulo(int sum) { return sum; }
__device__ inline long long modulo(long long sum) { return sum; }
