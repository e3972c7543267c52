// What a block sends per iteration, and what each of its threads has of it.
#pragma once
#include "shflbench.cuh"

constexpr int BYTES = OPTION_BYTES;

__device__ inline uint2 mix(uint2 own, uint2 got) { return {mix(own.x, got.x), mix(own.y, got.y)}; }
__device__ inline uint4 mix(uint4 own, uint4 got) {
    return {mix(own.x, got.x), mix(own.y, got.y), mix(own.z, got.z), mix(own.w, got.w)};
}

// Of 32, 64 or 128 bits.
template <int BITS>
struct WordType;
template <>
struct WordType<32> { using type = unsigned; };
template <>
struct WordType<64> { using type = uint2; };
template <>
struct WordType<128> { using type = uint4; };

// The words of a thread: that of its number, and those that lie a multiple of THREADS behind it. Of a block with more
// threads than words, the first ones have a word.
template <typename Word>
struct Part {
    static constexpr int ALL = BYTES / int(sizeof(Word)), THREADS = ALL < BLOCK ? ALL : BLOCK, COUNT = ALL / THREADS;
    static_assert(ALL % THREADS == 0);
    Word words[COUNT];

    __device__ static bool has_words() { return threadIdx.x < THREADS; }

    template <typename T>
    __device__ void load(const T* values) {
        const Word* const of_block = reinterpret_cast<const Word*>(values) + size_t(blockIdx.x) * ALL;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) words[i] = has_words() ? of_block[i * THREADS + threadIdx.x] : Word{};
    }
    template <typename T>
    __device__ void store(T* result) const {
        Word* const of_block = reinterpret_cast<Word*>(result) + size_t(blockIdx.x) * ALL;
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            if (has_words()) of_block[i * THREADS + threadIdx.x] = words[i];
        }
    }
    __device__ void mix_with(const Word (&got)[COUNT]) {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) words[i] = mix(words[i], got[i]);
    }
};

// The same words, as each copied piece of code has them.
template <typename Words, typename T>
__device__ void load_words(Words& own, const T* values) {
    Part<typename Words::Word> part;
    part.load(values);
    memcpy(own.word, part.words, sizeof own.word);
}
template <typename Words, typename T>
__device__ void store_words(const Words& own, T* result) {
    Part<typename Words::Word> part;
    memcpy(part.words, own.word, sizeof own.word);
    part.store(result);
}
template <typename Words>
__device__ void mix_words(Words& own, const Words& got) {
#pragma unroll
    for (int i = 0; i < Words::COUNT; ++i) own.word[i] = mix(own.word[i], got.word[i]);
}
