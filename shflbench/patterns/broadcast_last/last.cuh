// What the kernels of `broadcast-last` share: the predicate, and from which lane to take a value.
#pragma once
#include "shflbench.cuh"

constexpr int NONE = -1;  // no lane: less than any, so that the last of several lanes is the largest

// Depends on the data and changes with them: holds for one value in 16, so that in one trip of eight it holds nowhere
// in a warp ((15/16)^32 = 0.13). It looks at bits 19 to 22: the bits below keep it moving, which of few bits soon come
// round to a lane that gives its value for ever; and those above are alike in all floats from 1 to 2.
template <typename T>
__device__ bool holds(T x) {
    unsigned low_word;
    memcpy(&low_word, &x, sizeof low_word);
    return (low_word >> 19) % 16 == 5;
}

// A lane to be the last one by, where its value's predicate holds.
template <typename T>
__device__ int candidate(T x) { return holds(x) ? lane() : NONE; }

// Where the predicate holds nowhere, each lane keeps its own value.
__device__ int source_lane(int last) { return last == NONE ? lane() : last; }
