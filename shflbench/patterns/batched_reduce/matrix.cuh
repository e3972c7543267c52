// Sums of 16-bit numbers over the lanes of a warp by `mma.sync.m16n8k16`, which adds in f32.
//
// The values are matrix B, as they lie in registers: a word of lane 4 * group + member holds two values, at the column
// `group`, and at the rows 2 * member and 2 * member + 1 (the lower 8 rows in one register, the upper 8 in another). Each
// row of matrix A has ones where the rows of B hold one and the same value. So each row of the product has one sum over
// the four members of each group, and the product lies in registers such that the 8 groups of a row are in 4 lanes, two
// in each. An addition, and shuffles among 4 lanes, add these.
//
// Sum j becomes a row of lanes 4 * (j / 4) to 4 * (j / 4) + 3: the row j / 4 for an even j, that plus 8 for an odd j;
// j / 2 % 2 selects one of two products. The exchange of the 4 lanes then leaves sum j in lane j.
#pragma once
#include "batch.cuh"

template <typename T>
struct Matrix;
#define MATRIX(type, name, one) \
    template <> \
    struct Matrix<type> { \
        static constexpr unsigned ONE = one; \
        static __device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { \
            asm("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, " \
                "{%8, %9}, {%0, %1, %2, %3};" \
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); \
        } \
    };
#if DTYPE_F16
MATRIX(__half, "f16", 0x3C00)
#else
struct Bfloat16;  // the parts of a number in f32, if the element type has no header
#if DTYPE_BF16
MATRIX(__nv_bfloat16, "bf16", 0x3F80)
#else
MATRIX(Bfloat16, "bf16", 0x3F80)
#endif
#endif

// Sums over the lanes in the order of the values: 32 at a time.
template <typename M, int COUNT>
struct MatrixSums {
    static constexpr int PRODUCTS = COUNT > 2 ? 2 : 1;
    static constexpr int GROUPS = COUNT > 4 ? COUNT / 4 : 1;  // of lanes whose rows differ; the others repeat them
    float product[PRODUCTS][4] = {};

    // Add COUNT values per lane, in pairs.
    __device__ void add(const unsigned* word) {
        const int group = lane() / 4 % GROUPS;
        EACH(u, (GROUPS + 1) / 2) {
            const unsigned lower = group == 2 * u ? M::ONE : 0, upper = group == 2 * u + 1 ? M::ONE : 0;
            const unsigned a[] = {lower, lower << 16, upper, upper << 16};
            EACH(p, PRODUCTS) M::multiply(product[p], a, word[4 * u + p], 2 * u + 1 < GROUPS ? word[4 * u + 2 + p] : 0);
        }
    }

    // Return the sum of number lane % COUNT.
    __device__ float own() const {
        float kept[PRODUCTS];
        EACH(p, PRODUCTS) {
            const float even = product[p][0] + product[p][1], odd = product[p][2] + product[p][3];
            if (COUNT == 1) kept[p] = even + shfl_xor(even, 1);
            else kept[p] = (lane() & 1 ? odd : even) + shfl_xor(lane() & 1 ? even : odd, 1);
        }
        if (PRODUCTS == 1) return kept[0] + shfl_xor(kept[0], 2);
        const float first = kept[0], second = kept[PRODUCTS - 1];
        return (lane() & 2 ? second : first) + shfl_xor(lane() & 2 ? first : second, 2);
    }
};
