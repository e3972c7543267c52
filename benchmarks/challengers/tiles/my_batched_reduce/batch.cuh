// The SUMS values of a lane in `batched-reduce`: how they lie in registers, and how the sums change them.
#pragma once
#include "shflbench.cuh"

constexpr int SUMS = OPTION_SUMS;
constexpr int OWN = SUMS > WARP ? SUMS / WARP : 1;  // sums that a lane gets with result=own: lane, lane + 32
#if OPTION_RESULT_ALL
constexpr bool ALL = true;  // each lane gets all sums
#else
constexpr bool ALL = false;  // sum j is needed in lane j % 32 only
#endif
constexpr int RESULTS = ALL ? SUMS : OWN;

#define EACH(i, count) _Pragma("unroll") for (int i = 0; i < (count); ++i)

// A value is a whole number u. Integers wrap around. A floating-point number is 1 + u / 2^FRACTION, with FRACTION bits
// that are few enough for 32 of them to be summed exactly in f32, in any order; an iteration adds modulo 2^FRACTION.
// The sum of 32 such numbers is at least 32 and less than 64, so that its lowest bits are those of the sum of the u.
template <typename T>
struct Format;
template <>
struct Format<int> {
    using Sum = unsigned;
    using Bits = unsigned;
    static constexpr int PER_WORD = 1;
    static constexpr unsigned UNIT = 1;
    static __device__ Sum number(unsigned word, int) { return word; }
    static __device__ unsigned fraction(Sum sum) { return sum; }
    static __device__ unsigned advance(unsigned word, unsigned by, unsigned) { return word + by; }
};
template <>
struct Format<float> {
    using Sum = float;
    using Bits = unsigned;
    static constexpr int PER_WORD = 1;
    static constexpr unsigned UNIT = 1u << 5;  // FRACTION = 18: the upper 18 of 23 bits
    static __device__ Sum number(unsigned word, int) { return __uint_as_float(word); }
    static __device__ unsigned fraction(Sum sum) { return __float_as_uint(sum) << 5; }
    static __device__ unsigned advance(unsigned word, unsigned by, unsigned) {
        return ((word + by) & 0x007FFFE0u) | 0x3F800000u;
    }
};

// Two numbers of 16 bits per word, the even one in the lower half; their sums are f32.
template <int FRACTION, unsigned ONE>
struct Halves {
    using Sum = float;
    using Bits = unsigned short;
    static constexpr int PER_WORD = 2;
    static constexpr unsigned UNIT = 1, MASK = (1u << FRACTION) - 1;
    static __device__ unsigned fraction(Sum sum) { return (__float_as_uint(sum) >> (18 - FRACTION)) & MASK; }
    static __device__ unsigned advance(unsigned word, unsigned low, unsigned high) {
        return ((word + (low | high << 16)) & (MASK | MASK << 16)) | (ONE | ONE << 16);
    }
};
#if DTYPE_F16
template <>
struct Format<__half> : Halves<10, 0x3C00> {
    static __device__ Sum number(unsigned word, int half) {
        return __half2float(__ushort_as_half((unsigned short)(half ? word >> 16 : word)));
    }
};
#endif
#if DTYPE_BF16
template <>
struct Format<__nv_bfloat16> : Halves<7, 0x3F80> {
    static __device__ Sum number(unsigned word, int half) {
        return __uint_as_float(half ? word & 0xFFFF0000u : word << 16);
    }
};
#endif
template <typename T>
using Sum = typename Format<T>::Sum;

template <typename T>
struct Batch {
    using F = Format<T>;
    using S = Sum<T>;
    using Bits = typename F::Bits;
    static constexpr int PER_WORD = F::PER_WORD, WORDS = (SUMS + PER_WORD - 1) / PER_WORD;
    unsigned word[WORDS];

    // The warp's values of sum j follow those of sum j - 1.
    static __device__ int place(int j) { return (thread() - lane()) * SUMS + j * WARP + lane(); }

    __device__ explicit Batch(const T* values) {
        EACH(i, WORDS) word[i] = 0;
        const Bits* bits = reinterpret_cast<const Bits*>(values);
        EACH(j, SUMS) word[j / PER_WORD] |= unsigned(bits[place(j)]) << 16 * (j % PER_WORD);
    }
    __device__ void store(T* result) const {
        EACH(j, SUMS) reinterpret_cast<Bits*>(result)[place(j)] = Bits(word[j / PER_WORD] >> 16 * (j % PER_WORD));
    }
    __device__ void unpack(S (&number)[SUMS]) const {
        EACH(j, SUMS) number[j] = F::number(word[j / PER_WORD], j % PER_WORD);
    }

    // Every lane has all sums; or lane j has sum j, and with 64 sums also sum j + 32.
    __device__ void take(const S (&sums)[RESULTS]) {
        if constexpr (ALL) {
            unsigned by[PER_WORD * WORDS] = {};
            EACH(j, SUMS) by[j] = F::fraction(sums[j]);
            EACH(i, WORDS) word[i] = F::advance(word[i], by[PER_WORD * i], by[PER_WORD * i + PER_WORD - 1]);
        } else {
            advance(sums);
        }
    }

  private:
    // A lane without a sum adds an odd number instead. The total of the values grows by a factor of SUMS + 1, which must
    // be odd, or differences would be lost: a single sum is added twice.
    __device__ void advance(const S (&own)[OWN]) {
        unsigned by[OWN];
        EACH(part, OWN) {
            const unsigned sum = (SUMS == 1 ? 2 : 1) * F::fraction(own[part]);
            by[part] = lane() < SUMS ? sum : (2 * lane() + 1) * F::UNIT;
        }
        EACH(i, WORDS) {
            const unsigned own_of_word = by[i * PER_WORD / WARP];
            word[i] = F::advance(word[i], own_of_word, own_of_word);
        }
    }
};
