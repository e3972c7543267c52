// The tiles of a block in `staging`: a word of 16 bytes per thread, TILES of them one after another in global memory.
#pragma once
#include "shflbench.cuh"

constexpr int TILES = OPTION_TILES;

// The word of the calling thread in tile `number` of its block.
template <typename T>
__device__ const uint4* word_of(const T* values, int number) {
    return reinterpret_cast<const uint4*>(values) + (size_t(blockIdx.x) * TILES + number) * BLOCK + threadIdx.x;
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

// Starts to copy 16 bytes from global to shared memory.
__device__ inline void start_copy(uint4* to, const uint4* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(to)), "l"(from) : "memory");
}
// The copies that a thread has started since the last call are a group.
__device__ inline void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits for all groups of the thread but the newest ones.
template <int NEWEST>
__device__ void wait_for_groups() { asm volatile("cp.async.wait_group %0;" :: "n"(NEWEST) : "memory"); }

// Barriers in shared memory that count bulk copies. One thread expects the bytes of a copy and starts it; all wait for it.
__device__ inline void init(unsigned long long* barrier) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(shared_address(barrier)) : "memory");
}
__device__ inline void start_bulk_copy(uint4* to, const uint4* from, unsigned bytes, unsigned long long* barrier) {
    const unsigned counts = shared_address(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(counts), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(counts) : "memory");
}
__device__ inline void wait(unsigned long long* barrier, unsigned parity) {
    int is_complete;
    do {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"
                     : "=r"(is_complete) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (!is_complete);
}
// Bulk copies access memory by another proxy than threads do: what these did before comes before copies that start later.
__device__ inline void fence_of_proxies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
