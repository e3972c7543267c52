// The tiles of a block in `fragment-load`: matrices of 64x64 elements of 16 bits in shared memory, and what a warp makes of the
// 16 rows of a tile that it loads, which are 16 matrices of 8x8 elements: fragments of `mma.sync`.
#pragma once
#include "shflbench.cuh"

constexpr int TILES = 4;
constexpr int SIDE = 64;        // rows of a tile, and elements per row
constexpr int MATRICES = 16;

#define EACH_MATRIX(i) _Pragma("unroll") for (int i = 0; i < MATRICES; ++i)

__device__ inline int first_row() { return threadIdx.x / WARP % (SIDE / 16) * 16; }

// The block's tiles, row by row: each thread copies 8 elements at a time, which are a row of a matrix.
template <typename Copy>
__device__ void copy_tiles(const void* values, Copy copy) {
    constexpr int TILE_CHUNKS = SIDE * SIDE / 8, CHUNKS = TILES * TILE_CHUNKS;
    const uint4* from = static_cast<const uint4*>(values) + blockIdx.x * CHUNKS;
    for (int i = threadIdx.x; i < CHUNKS; i += blockDim.x) {
        const int row = i / 8;
        copy(i / TILE_CHUNKS, row % SIDE, i % 8, from[i]);
    }
    __syncthreads();
}

// Tiles in shared memory: PLACE tells where two elements of a row lie, in bytes. A row has STRIDE bytes.
template <int STRIDE, int (*PLACE)(int row, int column)>
__device__ const char* tiles_by_rows(const void* values) {
    char* tiles = shared<char>();
    copy_tiles(values, [&](int tile, int row, int column, uint4 words) {
        const unsigned word[] = {words.x, words.y, words.z, words.w};
        char* to = tiles + tile * SIDE * STRIDE;
#pragma unroll
        for (int i = 0; i < 4; ++i) *reinterpret_cast<unsigned*>(to + PLACE(row, column * 8 + 2 * i)) = word[i];
    });
    return tiles;
}

// The tiles transposed: PLACE tells where one element lies, and a column has STRIDE bytes.
template <int STRIDE, int (*PLACE)(int row, int column)>
__device__ const char* tiles_by_columns(const void* values) {
    char* tiles = shared<char>();
    copy_tiles(values, [&](int tile, int row, int column, uint4 words) {
        unsigned short element[8];
        memcpy(element, &words, sizeof words);
        char* to = tiles + tile * SIDE * STRIDE;
#pragma unroll
        for (int i = 0; i < 8; ++i) *reinterpret_cast<unsigned short*>(to + PLACE(row, column * 8 + i)) = element[i];
    });
    return tiles;
}

// The words of a lane, and what it makes of them. The lowest bits of all elements of a tile are the number of the tile to load
// next: the next loads wait for all words, and a word of another tile leads to another one.
struct Fragments {
    unsigned word[MATRICES], mixed[MATRICES] = {};
    int tile = 0;

    __device__ void use() {
        unsigned next = TILES - 1;
        EACH_MATRIX(i) {
            mixed[i] = mixed[i] * 0x9E3779B1u + word[i];  // the factor is odd: no difference is lost
            next &= word[i];
        }
        tile = next;
    }
    // A warp's words of matrix i follow those of matrix i - 1.
    __device__ void store(int* result) const {
        EACH_MATRIX(i) result[(thread() - lane()) * MATRICES + i * WARP + lane()] = mixed[i];
    }
};
