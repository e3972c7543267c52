// The values of a lane in `scale-max`, and how the largest magnitude of its group changes them.
#pragma once
#include "shflbench.cuh"

constexpr int WORDS = OPTION_WORDS;  // of 32 bits, which follow those of the lane before

// Each number in a word keeps its sign. The highest bit of its exponent is 0: it is less than 2, and never a NaN or infinite.
template <typename T>
constexpr unsigned FINITE = sizeof(T) == 2 ? 0xBFFFBFFFu : 0xBFFFFFFFu;

template <typename T>
struct Values {
    unsigned words[WORDS];

    __device__ explicit Values(const unsigned* states) {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) words[i] = states[thread() * WORDS + i];
    }
    __device__ void store(unsigned* result) const {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) result[thread() * WORDS + i] = words[i];
    }
    // What the functions of copy.cu take: a word, or an array of several.
    __device__ auto& own() const {
        if constexpr (WORDS == 1) return words[0];
        else return words;
    }
    // The factor is odd: the lowest bit in which two words differ is never lost, nor is that of a wrong maximum.
    __device__ void advance(unsigned largest) {
#pragma unroll
        for (int i = 0; i < WORDS; ++i) words[i] = (words[i] * 0x9E3779B1u + largest) & FINITE<T>;
    }
};
