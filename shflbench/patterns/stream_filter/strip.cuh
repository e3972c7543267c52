// The elements to filter, equal in every variant.
#pragma once
#include "shflbench.cuh"

constexpr int STEPS = 4;  // elements per thread

// The part of the stream that one warp filters, 32 neighbors per step. All of it is read before anything is
// written, because the compiler cannot move loads across stores that might change what they read.
template <typename T>
struct Strip {
    T values[STEPS];
    int first = (thread() - lane()) * STEPS;  // index of its first element
    int warp = thread() / WARP;

    __device__ explicit Strip(const T* all) {
        for (int i = 0; i < STEPS; ++i) values[i] = all[first + i * WARP + lane()];
    }
    __device__ const T* begin() const { return values; }
    __device__ const T* end() const { return values + STEPS; }
};

template <typename T>
__device__ bool is_kept(T value) { return value < T(OPTION_KEEP); }
