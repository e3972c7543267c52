// What the kernels of `broadcast` share: the number of values per iteration, and their source lane.
#pragma once
#include "shflbench.cuh"

constexpr int VALUES = OPTION_VALUES;  // values that the source lane gives to all others, per iteration

// Known only at run time, and different in each iteration.
__device__ int first_source(const int* sources) { return sources[thread() / WARP]; }
__device__ int next_source(int source) { return (unsigned(source) + 1) % WARP; }

// The values of a thread lie side by side in global memory.
template <typename T>
__device__ void load(T (&x)[VALUES], const T* numbers) {
    for (int k = 0; k < VALUES; ++k) x[k] = numbers[thread() * VALUES + k];
}
template <typename T>
__device__ void store(T* result, const T (&x)[VALUES]) {
    for (int k = 0; k < VALUES; ++k) result[thread() * VALUES + k] = x[k];
}

// What `broadcast` of copy.cu takes: an array that it replaces, or the only value.
template <typename T, int N = VALUES>
struct Exchanged {
    using type = T (&)[N];
};
template <typename T>
struct Exchanged<T, 1> {
    using type = T;
};
template <typename T>
using Got = typename Exchanged<T>::type;

// The values of all lanes, mixed with those of the source lane, which `broadcast` gets: it replaces an array, or returns
// the only value.
template <typename T, typename Broadcast>
__device__ void mix_with_source(T (&x)[VALUES], Broadcast broadcast) {
    T got[VALUES];
    for (int k = 0; k < VALUES; ++k) got[k] = x[k];
    if constexpr (VALUES == 1) got[0] = broadcast(got[0]);
    else broadcast(got);
    for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got[k]);
}
