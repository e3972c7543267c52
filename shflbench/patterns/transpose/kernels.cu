// An iteration redistributes a tile of 32 x WORDS words: word 32 * i + l starts in register i of lane l, and
// afterwards each lane has WORDS consecutive words. This turns a coalesced load into structs.
#include "stmatrix.cuh"
#include "tile.cuh"
#include "transpose.cuh"

// The position of word `index` of the tile in shared memory, so that lanes an even number of words apart
// use different banks. Odd distances do so without padding.
__device__ inline int padded(int index) { return WORDS % 2 ? index : index + index / WARP; }

// A lane's words that it loads at once, and the place of word `index` for such loads: 8 lanes load WORDS * 8 words, which
// are WORDS / 4 rows of 32; in each of these rows, other chunks lie at the same banks.
constexpr int WIDTH = WORDS % 4 ? 2 : 4;
template <typename T>
struct alignas(WIDTH * sizeof(T)) Chunk {
    T word[WIDTH];
};
__device__ inline int swizzled(int index) {
    constexpr int ROWS = WORDS > 4 ? WORDS / 4 : 1;
    return index ^ index / WARP % ROWS * WIDTH;
}

// Two barriers: the first between a slot's write and its read, the second between that read and the
// slot's next write. Lanes read WORDS words apart, which causes bank conflicts if WORDS is even.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem(const T* values, T* result, int iterations) {
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
__global__ void LAUNCH_BOUNDS transpose_smem_padded(const T* values, T* result, int iterations) {
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

// The words never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_syncwarp(const T* values, T* result, int iterations) {
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

// The same with loads as wide as a lane's words permit. Padding would break their alignment; instead the chunks of each
// 32 words change places, so that the lanes that load together, 8 with 16 bytes each, use all banks.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[swizzled(i * WARP + lane())] = tile.word[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < WORDS; i += WIDTH) {
            const auto chunk = *reinterpret_cast<const Chunk<T>*>(&slots[swizzled(lane() * WORDS + i)]);
#pragma unroll
            for (int k = 0; k < WIDTH; ++k) tile.word[i + k] = chunk.word[k];
        }
        __syncwarp();
    }
    tile.store(result);
}

// The same with `stmatrix`, which stores four registers at once: four adjacent lanes have adjacent words.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_stmatrix(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < WORDS; i += 4) {
            store_four(slots + swizzled((i + lane() / 8) * WARP + lane() % 8 * 4), tile.word + i);
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < WORDS; i += WIDTH) {
            const auto chunk = *reinterpret_cast<const Chunk<T>*>(&slots[swizzled(lane() * WORDS + i)]);
#pragma unroll
            for (int k = 0; k < WIDTH; ++k) tile.word[i + k] = chunk.word[k];
        }
        __syncwarp();
    }
    tile.store(result);
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[padded(i * WARP + lane())] = tile.word[i];
        EACH_WORD(i) tile.word[i] = slots[padded(lane() * WORDS + i)];
    }
    tile.store(result);
}

template <typename T>
__global__ void LAUNCH_BOUNDS transpose_shfl(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
    REPEAT(iterations) Transpose<T, WORDS>::striped_to_blocked(tile.word);
    tile.store(result);
}

// Powers of two: bits of the register number are swapped with bits of the lane number, pair by pair. A
// lane sends that of its two registers which its partner needs.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_shfl_xor(const T* values, T* result, int iterations) {
    constexpr int GROUP = WARP / WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) {
        if (GROUP > 1) {  // lanes that hold neighbors in a tile row move apart: the bits to exchange come last
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
