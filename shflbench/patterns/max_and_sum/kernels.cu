// All lanes get the largest number of their warp, and the sum of the powers of 2 relative to it (online softmax).
#include "pair.cuh"
#include "shflbench.cuh"

__device__ inline float max_of_warp(float x) {
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) x = fmaxf(x, shfl_xor(x, distance));
    return x;
}

__device__ inline float sum_of_warp(float x) {
#pragma unroll
    for (int distance = 1; distance < WARP; distance *= 2) x += shfl_xor(x, distance);
    return x;
}

// First the maximum of all lanes, then the sum of what each lane has scaled to it.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_two_reductions(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = max_of_warp(own.max);
        state = advance(state, {max, sum_of_warp(own.sum * power_of_2(own.max - max))});
    }
    result[thread()] = state;
}

// One butterfly, whose steps exchange both numbers and scale one of two sums.
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_pair(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        Pair all = pair_of(state);
#pragma unroll
        for (int distance = 1; distance < WARP; distance *= 2) {
            all = combine(all, {shfl_xor(all.max, distance), shfl_xor(all.sum, distance)});
        }
        state = advance(state, all);
    }
    result[thread()] = state;
}

// The same with both numbers as f16 in one word. A lane rounds its own pair, too, or lanes would get different results.
__device__ inline unsigned packed(Pair pair) {
    unsigned word;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(pair.sum), "f"(pair.max));
    return word;
}
__device__ inline Pair unpacked(unsigned word) {
    Pair pair;
    asm("{.reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high;}"
        : "=f"(pair.max), "=f"(pair.sum) : "r"(word));
    return pair;
}
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_half_pair(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        Pair all = pair_of(state);
#pragma unroll
        for (int distance = 1; distance < WARP; distance *= 2) {
            const unsigned own = packed(all);
            all = combine(unpacked(own), unpacked(shfl_xor(own, distance)));
        }
        state = advance(state, all);
    }
    result[thread()] = state;
}

// The maximum by one instruction for integers: of negative numbers, all bits but the sign are inverted, after which
// integers have the order of the numbers.
__device__ inline int ordered(int bits) { return bits ^ (bits >> 31 & 0x7FFFFFFF); }
template <typename T>
__global__ void LAUNCH_BOUNDS max_and_sum_redux(const unsigned* states, unsigned* result, int iterations) {
    unsigned state = states[thread()];
    REPEAT(iterations) {
        const Pair own = pair_of(state);
        const T max = __int_as_float(ordered(__reduce_max_sync(FULL_WARP, ordered(__float_as_int(own.max)))));
        state = advance(state, {max, sum_of_warp(own.sum * power_of_2(own.max - max))});
    }
    result[thread()] = state;
}
