// The predicate to vote on, and the next value of a lane from the result.
#pragma once
#include "shflbench.cuh"

// The function of copy.cu for the vote.
#if OPTION_OP_ANY
#define WARP_VOTE warp_any
#elif OPTION_OP_BALLOT
#define WARP_VOTE warp_ballot
#else
#define WARP_VOTE warp_all
#endif

// The numbers of a warp lie within a quarter of all integers, and each iteration moves them by about as much:
// at times all are negative, at times none, at times some.
__device__ inline bool predicate(int x) { return x < 0; }

// The next number: a bit more than a quarter further, and less than a 128th from the result of the vote. The product
// (2^32 divided by the golden ratio) is cut to 25 bits, so that no ballot leads to a short cycle.
__device__ inline int advance(int x, unsigned result) {
    return int(unsigned(x) + 0x4a000000u + (result * 0x9e3779b1u >> 7));
}

// Both numbers are ready before the vote is: only a selection waits for it. The compiler would add what it selects.
__device__ inline int advance(int x, bool result) {
    int with;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(with) : "r"(x), "n"(0x4a000000u + (0x9e3779b1u >> 7)));
    return result ? with : int(unsigned(x) + 0x4a000000u);
}

// What a true result adds to the next number. The compiler must not know it: it would make a predicate of a result that is
// a number, and add if that is true.
__device__ inline unsigned opaque_change() {
    unsigned one;
    asm("min.u32 %0, %1, 1;" : "=r"(one) : "r"(gridDim.x));
    return one * (0x9e3779b1u >> 7);
}

// From a result that is 1 or 0: a multiply-add, whose addend is ready before the vote is. `change` is opaque_change().
__device__ inline int advance(int x, unsigned result, unsigned change) {
    unsigned without;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(without) : "r"(x), "n"(0x4a000000u));
    return int(result * change + without);
}

// The result of the vote, from the ballot: bit i is the predicate of lane i.
#if OPTION_OP_ANY
__device__ inline bool outcome(unsigned ballot) { return ballot != 0; }
#elif OPTION_OP_BALLOT
__device__ inline unsigned outcome(unsigned ballot) { return ballot; }
#else
__device__ inline bool outcome(unsigned ballot) { return ballot == FULL_WARP; }
#endif
