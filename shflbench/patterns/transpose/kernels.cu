// A trip hands out a tile of 32 x WORDS words: word 32 * i + l, held by lane l in register i, goes to
// where a lane has WORDS consecutive words. That is what makes structs of a coalesced load.
#include "tile.cuh"
#include "transpose.cuh"

// Where the tile's word `index` lies in shared memory, so that lanes at a distance of an even number of
// words meet different banks. Odd distances do so by themselves.
__device__ inline int padded(int index) { return WORDS % 2 ? index : index + index / WARP; }

// Two barriers: the first between a slot's write and its read, the second between that read and the
// slot's next write. Lanes read at a distance of WORDS, which is bad for the banks if it is even.
template <typename T>
__global__ void transpose_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[i * WARP + lane()] = tile.word[i];
        __syncthreads();
        EACH_WORD(i) tile.word[i] = slots[lane() * WORDS + i];
        __syncthreads();
    }
    tile.store(result);
}

template <typename T>
__global__ void transpose_smem_padded(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[padded(i * WARP + lane())] = tile.word[i];
        __syncthreads();
        EACH_WORD(i) tile.word[i] = slots[padded(lane() * WORDS + i)];
        __syncthreads();
    }
    tile.store(result);
}

// The words never leave the warp, so the warp is all that has to be synchronised.
template <typename T>
__global__ void transpose_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[padded(i * WARP + lane())] = tile.word[i];
        __syncwarp();
        EACH_WORD(i) tile.word[i] = slots[padded(lane() * WORDS + i)];
        __syncwarp();
    }
    tile.store(result);
}

// UNSAFE: trusts that a warp runs in lock step, which no GPU since Volta promises.
template <typename T>
__global__ void transpose_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[padded(i * WARP + lane())] = tile.word[i];
        EACH_WORD(i) tile.word[i] = slots[padded(lane() * WORDS + i)];
    }
    tile.store(result);
}

template <typename T>
__global__ void transpose_shfl(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
    REPEAT(iterations) Transpose<T, WORDS>::striped_to_blocked(tile.word);
    tile.store(result);
}

// Powers of two: a bit of the register's number changes places with a bit of the lane's, pair by pair.
// Of two registers a lane sends the one that its partner needs.
template <typename T>
__global__ void transpose_shfl_xor(const T* values, T* result, int iterations) {
    constexpr int GROUP = WARP / WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) {
        if (GROUP > 1) {  // lanes that hold one tile row's neighbours move apart: the bits to exchange come last
            const int from = lane() % GROUP * WORDS + lane() / GROUP;
            EACH_WORD(i) tile.word[i] = shfl(tile.word[i], from);
        }
#pragma unroll
        for (int bit = 1; bit < WORDS; bit *= 2) {
            const bool upper = lane() & bit * GROUP;
            EACH_WORD(i) {
                if (i & bit) continue;
                T &low = tile.word[i], &high = tile.word[i | bit];
                const T got = shfl_xor(upper ? low : high, bit * GROUP);
                (upper ? low : high) = got;
            }
        }
    }
    tile.store(result);
}
