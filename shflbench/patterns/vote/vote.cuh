// What the warp votes on, and how a lane goes on with the result.
#pragma once
#include "shflbench.cuh"

// A warp's numbers lie within a quarter of all integers, which a trip moves on together, round and round: now
// all of them are negative, now none, now some.
__device__ inline bool predicate(int x) { return x < 0; }

// The next number: a bit more than a quarter further, and less than a 128th by what the vote said. The product
// (2^32 divided by the golden ratio) is cut to 25 bits, so that no ballot sends the warp round in a short circle.
__device__ inline int advance(int x, unsigned result) {
    return int(unsigned(x) + 0x4a000000u + (result * 0x9e3779b1u >> 7));
}

// What the vote says, from the ballot: bit i is the predicate of lane i.
__device__ inline unsigned outcome(unsigned ballot) {
#if OPTION_OP_ANY
    return ballot != 0;
#elif OPTION_OP_BALLOT
    return ballot;
#else
    return ballot == FULL_WARP;
#endif
}
