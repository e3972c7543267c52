// What the kernels of `x-…` share: vectors of 16 bytes, and the sum of a block by one warp.
#pragma once
#include "shflbench.cuh"

namespace fast {

constexpr int VALUES = OPTION_BLOCKS * BLOCK, VECTORS = VALUES / 4;  // of a group

template <typename T>
struct alignas(16) Vector {
    T x[4];
    __device__ T sum() const { return add(add(x[0], x[1]), add(x[2], x[3])); }
};

__device__ inline int sum_of_warp(int x) { return __reduce_add_sync(FULL_WARP, x); }
__device__ inline float sum_of_warp(float x) {
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(FULL_WARP, x, distance);
    return x;
}

// The sum of COUNT vectors from `vectors` on for each of STEP threads.
template <int COUNT, int STEP, typename T>
__device__ T sum_of_vectors(const Vector<T>* vectors, int first) {
    constexpr int EACH = (COUNT + STEP - 1) / STEP;
    T sums[2] = {0, 0};
#pragma unroll 16
    for (int i = 0; i < EACH; ++i) {
        const int at = first + i * STEP;
        if ((i + 1) * STEP <= COUNT || at < COUNT) sums[i % 2] = add(sums[i % 2], vectors[at].sum());
    }
    return add(sums[0], sums[1]);
}

// All lanes of the first warp get the sum of the block: all threads store, one warp loads.
template <int THREADS, typename T>
__device__ T sum_of_block(T x) {
    __shared__ Vector<T> stored[THREADS / 4];
    reinterpret_cast<T*>(stored)[threadIdx.x] = x;
    __syncthreads();
    if (threadIdx.x >= WARP) return x;
    return sum_of_warp(sum_of_vectors<THREADS / 4, WARP>(stored, threadIdx.x));
}

}  // namespace fast
