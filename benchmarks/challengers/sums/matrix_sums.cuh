// Sums of 32 floats by matrix instructions. A float lies in matrix B (column lane / 4, rows by lane % 4) as two or three
// parts whose sum it is; matrix A is all ones: each row of the product has the sums over the 4 lanes of each column.
#pragma once
#include "shflbench.cuh"

namespace matrix {

__device__ inline float masked(float x, unsigned mask) { return __uint_as_float(__float_as_uint(x) & mask); }

// What is left of `x` without `high`. If both are infinite, a finite number: their sum is then still infinite.
__device__ inline float rest(float x, float high) { return fmaxf(x - high, -1e30f); }

enum Parts { BF16, BF16_PARALLEL, TF32, TF32_NEAREST };

__device__ inline void ones_times_bf16(unsigned b0, unsigned b1, float (&d)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %6}, "
        "{%7, %7, %7, %7};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "r"(0x3f803f80u), "r"(b0), "r"(b1), "f"(0.0f));
}
__device__ inline void ones_times_tf32(float b0, float b1, float (&d)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %6}, "
        "{%7, %7, %7, %7};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(0x3f800000u), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)), "f"(0.0f));
}

// BF16: three bf16 have all 24 bits of x. (Of NaN, the arithmetic of a GPU makes only 0x7fffffff; `quiet` makes it of
// others.) TF32: the upper 11 bits, and the upper 11 of the other 13, of which the hardware ignores the last two; an
// error below 2^-21. TF32_NEAREST: the nearest tf32, and 11 of the at most 12 bits of the rest; an error below 2^-22.
template <Parts PARTS>
__device__ inline void add_parts(float x, float (&d)[4]) {
    if (PARTS == BF16) {
        const float r = rest(x, masked(x, 0xffff0000u));
        const float low = r - masked(r, 0xffff0000u);  // at most 8 bits
        ones_times_bf16(__byte_perm(__float_as_uint(r), __float_as_uint(x), 0x7632), __float_as_uint(low), d);
    } else if (PARTS == BF16_PARALLEL) {
        const float high = masked(x, 0xffff0000u), most = masked(x, 0xffffff00u);
        const float middle = rest(most, high), low = rest(x, most);
        ones_times_bf16(__byte_perm(__float_as_uint(middle), __float_as_uint(x), 0x7632), __float_as_uint(low), d);
    } else if (PARTS == TF32) {
        ones_times_tf32(x, rest(x, masked(x, 0xffffe000u)), d);
    } else {
        unsigned high;
        asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(high) : "f"(x));
        ones_times_tf32(__uint_as_float(high), rest(x, __uint_as_float(high)), d);
    }
}

__device__ inline float quiet(float x) { return x == x ? x : __uint_as_float(0x7fffffffu); }

// Each lane gets the sum of the 8 lanes of two columns: those of 2 * (lane % 4) and the next.
template <Parts PARTS>
__device__ inline float sum_of_eight(float x) {
    float d[4];
    add_parts<PARTS>(x, d);
    return d[0] + d[1];
}

// Each lane gets the sum of four lanes, lane / 4 * 4 and the next, if these are the same for each group of four.
template <Parts PARTS>
__device__ inline float sum_of_four(float x) {
    float d[4];
    add_parts<PARTS>(x, d);
    return d[0];
}

__device__ inline float sum_of_four_by_shuffles(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

template <Parts PARTS>
__device__ inline float warp_sum(float x) { return sum_of_four<PARTS>(sum_of_eight<PARTS>(x)); }
template <Parts PARTS>
__device__ inline float warp_sum_shfl(float x) { return sum_of_four_by_shuffles(sum_of_eight<PARTS>(x)); }

__device__ inline float butterfly(float x) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
    return x;
}

// Each lane gets the sum of its group of four lanes and of `c`. The parts lie in matrix A (row lane / 4): as above.
template <Parts PARTS>
__device__ inline float sum_of_own_four(float x, float c) {
    float d[4];
    if (PARTS == BF16) {
        const float r = rest(x, masked(x, 0xffff0000u));
        const float low = r - masked(r, 0xffff0000u);
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %5}, {%7, %7}, "
            "{%8, %9, %9, %9};"
            : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
            : "r"(__byte_perm(__float_as_uint(r), __float_as_uint(x), 0x7632)), "r"(0), "r"(__float_as_uint(low)),
              "r"(0x3f803f80u), "f"(c), "f"(0.0f));
    } else {
        asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %5}, {%7, %7}, "
            "{%8, %9, %9, %9};"
            : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
            : "r"(__float_as_uint(x)), "r"(0), "r"(__float_as_uint(rest(x, masked(x, 0xffffe000u)))),
              "r"(0x3f800000u), "f"(c), "f"(0.0f));
    }
    return d[0];
}

// Returns the sum of the values of all lower lanes: those of its group of four by shuffles that do not wait for one
// another, those of lower groups by matrix instructions. Only values of lower lanes take part.
template <Parts PARTS>
__device__ inline float lower_lanes(float x) {
    const int place = threadIdx.x % 4, group = threadIdx.x % 32 / 4;
    float d[4];
    add_parts<PARTS>(x, d);  // the sums of groups 2 * place and 2 * place + 1
    const float first = __shfl_up_sync(0xffffffffu, x, 1, 4), second = __shfl_up_sync(0xffffffffu, x, 2, 4),
                third = __shfl_up_sync(0xffffffffu, x, 3, 4);
    float below = place >= 1 ? first : 0;
    if (place >= 2) below += second;
    if (place >= 3) below += third;
    float lower = 2 * place < group ? d[0] : 0;
    if (2 * place + 1 < group) lower += d[1];
    return sum_of_own_four<PARTS>(lower, below);
}

}  // namespace matrix
