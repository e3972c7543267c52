// The tiles of a block in `staging`: a word of 16 bytes per thread, TILES of them one after another in global memory.
#pragma once
#include "shflbench.cuh"

constexpr int TILES = OPTION_TILES;

template <typename T>
__device__ const uint4* tiles_of_block(const T* values) {
    return reinterpret_cast<const uint4*>(values) + size_t(blockIdx.x) * TILES * BLOCK;
}

// What a thread makes of a staged tile: it reads the word of a thread of another warp, and mixes it with what it has. The
// factor is odd, so that no difference is lost.
__device__ inline unsigned use(unsigned sum, const uint4* tile) {
    const uint4 word = tile[BLOCK - 1 - threadIdx.x];
    sum = sum * 0x9E3779B1u + word.x;
    sum = sum * 0x9E3779B1u + word.y;
    sum = sum * 0x9E3779B1u + word.z;
    return sum * 0x9E3779B1u + word.w;
}
