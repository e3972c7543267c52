// How the tile of a warp gets into registers and back, and how a trip's unrolled loops over it are written.
#pragma once
#include "shflbench.cuh"

constexpr int WORDS = OPTION_WORDS;        // words a lane
constexpr int TILE = WARP * WORDS;         // words a warp
constexpr int PADDED = (WARP + 1) * WORDS; // with one unused word after each 32

#define EACH_WORD(i) _Pragma("unroll") for (int i = 0; i < WORDS; ++i)

// The lane's first word of its warp's tile in global memory; its next ones follow at a distance of 32.
__device__ inline int first_word() { return (thread() - lane()) * WORDS + lane(); }

template <typename T>
struct Tile {
    T word[WORDS];

    __device__ explicit Tile(const T* values) { EACH_WORD(i) word[i] = values[first_word() + i * WARP]; }
    __device__ void store(T* result) const { EACH_WORD(i) result[first_word() + i * WARP] = word[i]; }
};
