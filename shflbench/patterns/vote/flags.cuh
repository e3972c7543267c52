// A ballot in 32 bytes of shared memory, one per lane. Lane i writes its predicate as bit i%8 of byte i/8 of
// word i%8: the bitwise or of the eight words is the ballot. All lanes read the same words, 16 bytes per
// load, which takes shared memory as long as one word.
#pragma once
#include "shflbench.cuh"

__device__ inline unsigned char* flags_of_warp() { return shared<unsigned char>() + first_of_warp(); }
__device__ inline int place() { return lane() % 8 * 4 + lane() / 8; }
__device__ inline unsigned char flag(bool predicate) { return predicate ? 1u << lane() % 8 : 0; }

// C++ does not have volatile loads for 16 bytes.
__device__ inline uint4 load_volatile(const unsigned char* address) {
    uint4 words;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "r"(unsigned(__cvta_generic_to_shared(address)))
                 : "memory");
    return words;
}

__device__ inline unsigned ballot_from_volatile(const unsigned char* flags) {
    const uint4 a = load_volatile(flags), b = load_volatile(flags + 16);
    return a.x | a.y | a.z | a.w | b.x | b.y | b.z | b.w;
}
