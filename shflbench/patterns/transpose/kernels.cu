// An iteration redistributes a tile of 32 x WORDS words: word 32 * i + l starts in register i of lane l, and
// afterwards each lane has WORDS consecutive words. This turns a coalesced load into structs.
#include "copied/half-shfl.cuh"
#include "copied/quarter-shfl.cuh"
#include "copied/shfl.cuh"
#include "copied/shfl-xor.cuh"
#include "copied/smem.cuh"
#include "copied/smem-padded.cuh"
#include "copied/smem-stmatrix.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-wide.cuh"
#include "tile.cuh"

// Two barriers: the first between a slot's write and its read, the second between that read and the
// slot's next write. Lanes read WORDS words apart, which causes bank conflicts if WORDS is even.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::smem::striped_to_blocked(tile.word, slots);
    tile.store(result);
}

// Lanes an even number of words apart use different banks, because one word is unused after each 32.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_padded(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::smem_padded::striped_to_blocked(tile.word, slots);
    tile.store(result);
}

// The words never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::smem_syncwarp::striped_to_blocked(tile.word, slots);
    tile.store(result);
}

// The same with loads as wide as a lane's words permit. Padding would break their alignment; instead the chunks of each
// 32 words change places, so that the lanes that load together, 8 with 16 bytes each, use all banks.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::smem_wide::striped_to_blocked(tile.word, slots);
    tile.store(result);
}

// The same with `stmatrix`, which stores four registers at once: four adjacent lanes have adjacent words.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_stmatrix(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::smem_stmatrix::striped_to_blocked(tile.word, slots);
    tile.store(result);
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>() + threadIdx.x / WARP * PADDED;
    const auto padded = [](int index) { return WORDS % 2 ? index : index + index / WARP; };
    Tile<T> tile(values);
    REPEAT(iterations) {
        EACH_WORD(i) slots[padded(i * WARP + lane())] = tile.word[i];
        EACH_WORD(i) tile.word[i] = slots[padded(lane() * WORDS + i)];
    }
    tile.store(result);
}

// In a shuffle, each lane chooses the lane that it reads, but all lanes send the same register: words first change registers.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_shfl(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::shfl::striped_to_blocked(tile.word);
    tile.store(result);
}

// Powers of two: bits of the register number are swapped with bits of the lane number, pair by pair.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_shfl_xor(const T* values, T* result, int iterations) {
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::shfl_xor::striped_to_blocked(tile.word);
    tile.store(result);
}

#if OPTION_WORDS_8 || OPTION_WORDS_4
// Half of the words by shuffles, and the other half through shared memory, whose instructions take turns: fewer accesses
// than with shared memory alone, and fewer conditional moves than with shuffles alone.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_half_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * WORDS / 2;
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::half_shfl::striped_to_blocked(tile.word, slots);
    tile.store(result);
}
#endif

#if OPTION_WORDS_32
// A quarter of the words by shuffles, those whose register and lane agree in their two highest bits, and the
// others through shared memory.
template <typename T>
__global__ void LAUNCH_BOUNDS transpose_quarter_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + threadIdx.x / WARP * (TILE / 4 * 3);
    Tile<T> tile(values);
    REPEAT(iterations) shflbench::quarter_shfl::striped_to_blocked(tile.word, slots);
    tile.store(result);
}
#endif
