// Loads from shared memory in the width that a member of a family has, and sums of what was loaded.
#pragma once
#include "shflbench.cuh"

// Loads words of 32 bits from shared memory at once. In PTX, because the compiler would merge narrow loads into wide ones.
__device__ inline void load(unsigned (&words)[1], const void* from) {
    asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(words[0]) : "r"(shared_address(from)) : "memory");
}
__device__ inline void load(unsigned (&words)[2], const void* from) {
    asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1]) : "r"(shared_address(from)) : "memory");
}
__device__ inline void load(unsigned (&words)[4], const void* from) {
    asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3]) : "r"(shared_address(from)) : "memory");
}

// Loads values of 32 bits that lie side by side, BITS at a time.
template <int BITS, typename T, int COUNT>
__device__ void load_all(T (&values)[COUNT], const T* from) {
    static_assert(sizeof(T) == 4, "values have 32 bits");
    constexpr int WORDS = BITS / 32;
#pragma unroll
    for (int i = 0; i < COUNT; i += WORDS) {
        unsigned words[WORDS];
        load(words, from + i);
        memcpy(values + i, words, sizeof words);
    }
}

// The sum of values that lie side by side, as a tree, or one after the other in the order of the loads.
template <int COUNT, bool CHAIN, typename T>
__device__ T sum_of(const T* values) {
    T sum[COUNT];
    memcpy(sum, values, sizeof sum);
    if (CHAIN) {
#pragma unroll
        for (int i = 1; i < COUNT; ++i) sum[0] = add(sum[0], sum[i]);
        return sum[0];
    }
#pragma unroll
    for (int width = 1; width < COUNT; width *= 2) {
#pragma unroll
        for (int i = 0; i < COUNT; i += 2 * width) sum[i] = add(sum[i], sum[i + width]);
    }
    return sum[0];
}
