// The elements of a thread, and their sum.
#pragma once

#include "shflbench.cuh"

constexpr int PER_THREAD = OPTION_PER_THREAD;  // elements

// The type of a sum: 32 bits for every element type.
template <typename T>
struct SumType { using type = T; };
#if DTYPE_BF16
template <>
struct SumType<__nv_bfloat16> { using type = float; };
#endif
template <typename T>
using Sum = typename SumType<T>::type;

// The part of the array that a thread adds up: a word every `step()` words, from `first_word` on. Words are elements, or
// 16 bytes each. An array may have more elements than an `int` can count.
#if OPTION_ORDER_GRID
// A loop over the grid: all blocks move through the array together.
__device__ inline size_t step() { return size_t(gridDim.x) * BLOCK; }
template <typename Word, typename T>
__device__ const Word* first_word(const T* values) {
    return reinterpret_cast<const Word*>(values) + size_t(blockIdx.x) * BLOCK + threadIdx.x;
}
// The first element of the block's words of one step, where a word has `elements` elements.
__device__ inline size_t first_of_step(int number, int elements) {
    return (size_t(number) * gridDim.x + blockIdx.x) * BLOCK * elements;
}
#else
// Each block has its own contiguous part.
__device__ constexpr int step() { return BLOCK; }
template <typename Word, typename T>
__device__ const Word* first_word(const T* values) {
    return reinterpret_cast<const Word*>(values + size_t(blockIdx.x) * (BLOCK * PER_THREAD)) + threadIdx.x;
}
__device__ inline size_t first_of_step(int number, int elements) {
    return size_t(blockIdx.x) * (BLOCK * PER_THREAD) + number * BLOCK * elements;
}
#endif

// The sum of what one load returns.
__device__ inline float sum_of(float x) { return x; }
__device__ inline int sum_of(int x) { return x; }
__device__ inline float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }
__device__ inline int sum_of(int4 x) { return add(add(x.x, x.y), add(x.z, x.w)); }
template <typename T>
struct Wide;  // 16 bytes of elements
template <>
struct Wide<float> { using type = float4; };
template <>
struct Wide<int> { using type = int4; };
#if DTYPE_BF16
__device__ inline float sum_of(__nv_bfloat16 x) { return __bfloat162float(x); }
// A bfloat16 is the upper half of a float.
__device__ inline float sum_of_halves(unsigned x) { return __uint_as_float(x << 16) + __uint_as_float(x & 0xffff0000u); }
__device__ inline float sum_of(uint4 x) {
    return (sum_of_halves(x.x) + sum_of_halves(x.y)) + (sum_of_halves(x.z) + sum_of_halves(x.w));
}
template <>
struct Wide<__nv_bfloat16> { using type = uint4; };
#endif

// The sum of the thread's elements, loaded in batches of up to IN_FLIGHT words: all loads of a batch are issued before
// the first result is needed.
template <typename Word, int IN_FLIGHT, typename T>
__device__ Sum<T> sum_of_words(const T* values) {
    constexpr int WORDS = PER_THREAD * sizeof(T) / sizeof(Word), BATCH = WORDS < IN_FLIGHT ? WORDS : IN_FLIGHT;
    static_assert(WORDS % BATCH == 0);
    const Word* mine = first_word<Word>(values);
    Sum<T> sum = 0;
    for (int first = 0; first < WORDS; first += BATCH) {
        Word words[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) words[i] = mine[(first + i) * step()];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) sum = add(sum, sum_of(words[i]));
    }
    return sum;
}

template <typename T>
__device__ Sum<T> sum_of_elements(const T* values) { return sum_of_words<T, 8>(values); }
template <typename T>
__device__ Sum<T> sum_of_vectors(const T* values) { return sum_of_words<typename Wide<T>::type, 4>(values); }
