// Streams an array: copies it, or reads all of it and stores one word per block. Each block has PER_THREAD elements per
// thread, which lie side by side in memory; at each step, neighboring threads load neighboring words.
#include "shflbench.cuh"
#include "words.cuh"

// Loads the words of a block in batches of up to IN_FLIGHT per thread: all loads of a batch are issued before the first
// result is needed.
template <int IN_FLIGHT, typename Word, typename T>
__device__ void stream(const T* values, T* result) {
    constexpr int WORDS = PER_THREAD * sizeof(T) / sizeof(Word);  // per thread
    constexpr int BATCH = WORDS < IN_FLIGHT ? WORDS : IN_FLIGHT;
    static_assert(WORDS % BATCH == 0);
    const Word* from = reinterpret_cast<const Word*>(of_block(values)) + threadIdx.x;
    Word* to = reinterpret_cast<Word*>(of_block(result)) + threadIdx.x;
    unsigned mine = 0;
    for (int first = 0; first < WORDS; first += BATCH) {
        Word words[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) words[i] = from[(first + i) * BLOCK];
#pragma unroll
        for (int i = 0; i < BATCH; ++i) {
            if constexpr (COPIES) to[(first + i) * BLOCK] = words[i];
            else mine ^= bits(words[i]);
        }
    }
    if constexpr (!COPIES) combine_bits(mine, result);
}

// One element per load.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_global(const T* values, T* result) { stream<8, T>(values, result); }

// 16 bytes per load.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_vector(const T* values, T* result) { stream<4, uint4>(values, result); }

// Starts to copy 16 bytes from global to shared memory. The thread waits only where it says so.
__device__ inline void start_copy(uint4* to, const uint4* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}
// Ends a group of copies. A thread without a copy ends an empty group.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until all but the last NEWER groups of this thread are complete.
template <int NEWER>
__device__ void wait_for_groups() { asm volatile("cp.async.wait_group %0;" :: "n"(NEWER) : "memory"); }

// 16 bytes per asynchronous copy to shared memory, in a ring of STAGES slots per thread. Each thread reads only what it
// copied itself, so that its own wait is enough, and no barrier is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_async(const T* values, T* result) {
    constexpr int WORDS = PER_THREAD * sizeof(T) / sizeof(uint4), STAGES = 4;
    const uint4* from = reinterpret_cast<const uint4*>(of_block(values)) + threadIdx.x;
    uint4* to = reinterpret_cast<uint4*>(of_block(result)) + threadIdx.x;
    uint4* slots = shared<uint4>() + threadIdx.x;
    unsigned mine = 0;
#pragma unroll
    for (int i = 0; i < STAGES - 1; ++i) {
        if (i < WORDS) start_copy(&slots[i * BLOCK], &from[i * BLOCK]);
        end_group();
    }
#pragma unroll 4
    for (int i = 0; i < WORDS; ++i) {
        const int next = i + STAGES - 1;
        if (next < WORDS) start_copy(&slots[next % STAGES * BLOCK], &from[next * BLOCK]);
        end_group();
        wait_for_groups<STAGES - 1>();
        const uint4 word = slots[i % STAGES * BLOCK];
        if constexpr (COPIES) to[i * BLOCK] = word;
        else mine ^= bits(word);
    }
    if constexpr (!COPIES) combine_bits(mine, result);
}
