// What is counted, the same in every variant.
#pragma once
#include "shflbench.cuh"

constexpr int PER_THREAD = 16;
constexpr int NONE = -1;  // no counter

// The elements of one thread. A block reads its part of `values` from front to back, neighbours by neighbours, and
// all of it before it counts: loads are not ordered around atomic additions, which might change what they read.
template <typename T>
struct Elements {
    T values[PER_THREAD];

    __device__ explicit Elements(const T* all) {
        const T* of_block = all + blockIdx.x * blockDim.x * PER_THREAD;
        for (int i = 0; i < PER_THREAD; ++i) values[i] = of_block[i * blockDim.x + threadIdx.x];
    }
    __device__ const T* begin() const { return values; }
    __device__ const T* end() const { return values + PER_THREAD; }
};

// Elements from 0 on are counted, each by the counter that its lowest bits name; `last` is the last counter.
template <typename T>
__device__ bool is_counted(T value) { return value >= 0; }
template <typename T>
__device__ int counter_of(T value, int last) { return value & last; }
