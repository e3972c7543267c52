// The pair of a lane in `max-and-sum`, and what a lane makes of the result.
#pragma once
#include "shflbench.cuh"

struct Pair {
    float max, sum;

    template <typename MaxAndSum>  // of copy.cu: each variant has its own
    __device__ operator MaxAndSum() const { return {max, sum}; }
};

// The pair of a lane: bits of its state choose a maximum of 4, 5, 6 or 7, where 7 is rare, and a sum of 1 or 1.5. All sums of
// 32 such pairs are multiples of 1/16 below 64, which f16 has exactly.
__device__ inline Pair pair_of(unsigned state) {
    const unsigned max = state & state >> 3 & state >> 7 & 0x00600000u, sum = state << 3 & 0x00400000u;
    return {__uint_as_float(max | 0x40800000u), __uint_as_float(sum | 0x3F800000u)};
}

// The next state of a lane, from its own and the result. The sum is rounded to 10 digits: an approximate power of 2 has
// more. The factor is odd, so that no difference is lost.
template <typename MaxAndSum>
__device__ unsigned advance(unsigned state, MaxAndSum all) {
    const unsigned sum = (__float_as_uint(all.sum) + (1u << 12)) >> 13;
    return state * 0x9E3779B1u + sum + __float_as_uint(all.max);
}
