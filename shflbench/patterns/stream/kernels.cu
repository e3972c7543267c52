// Streams an array: copies it, or reads all of it and stores one word per block. Each block has a part of `per_thread`
// elements per thread, which lie side by side in memory; at each step, neighboring threads load neighboring words.
#include "copied/async.cuh"
#include "copied/global.cuh"
#include "copied/vector.cuh"
#include "shflbench.cuh"
#include "words.cuh"

// One element per load.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_global(const T* values, T* result) {
    if constexpr (COPIES) shflbench::global::stream<BLOCK>(values, result);
    else combine_bits(in_its_half<T>(shflbench::global::stream<BLOCK>(values)), result);
}

// 16 bytes per load.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_vector(const T* values, T* result) {
    if constexpr (COPIES) shflbench::vector::stream<BLOCK>(values, result);
    else combine_bits(shflbench::vector::stream<BLOCK>(values), result);
}

// 16 bytes per asynchronous copy to shared memory, in a ring of slots per thread. Each thread reads only what it copied
// itself, so that its own wait is enough, and no barrier is needed.
template <typename T>
__global__ void LAUNCH_BOUNDS stream_async(const T* values, T* result) {
    if constexpr (COPIES) shflbench::async::stream<BLOCK>(values, result, shared<uint4>());
    else combine_bits(shflbench::async::stream<BLOCK>(values, shared<uint4>()), result);
}
