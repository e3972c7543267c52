// The elements and their counters, equal in every variant.
#pragma once
#include "shflbench.cuh"

constexpr int PER_THREAD = 16;
constexpr int NONE = -1;  // no counter

// The elements of one thread. A block reads its part of `values` coalesced, from front to back, and all of it before
// it counts: the compiler cannot move loads across atomic additions, which might change what they read.
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

// Elements that are not negative are counted in the counter that their lowest bits select; `last` is the last one.
template <typename T>
__device__ bool is_counted(T value) { return value >= 0; }
template <typename T>
__device__ int counter_of(T value, int last) { return value & last; }

// The number of the thread's elements that count.
template <typename T>
__device__ T count_of_lane(const T* values) {
    T count = 0;
    for (const T value : Elements<T>(values)) count += is_counted(value);
    return count;
}
