#include "shflbench.cuh"

template <typename T>
__global__ void rolled_alone(const T* values, T* result, int iterations) {
    T x = values[thread()];
    const int next = (threadIdx.x + 1) % WARP;
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) x = __shfl_sync(FULL_WARP, x, next);
    result[thread()] = x;
}

template <typename T>
__global__ void rolled_followed(const T* values, T* result, int iterations) {
    T x = values[thread()];
    const int next = (threadIdx.x + 1) % WARP;
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) x = __shfl_sync(FULL_WARP, x, next);
    for (int i = 0; i < 40; ++i) {
        x = __shfl_sync(FULL_WARP, x, next);
        x += __shfl_sync(FULL_WARP, x, next);
    }
    result[thread()] = x;
}

// 64 values that stay alive through the loop.
template <typename T>
__device__ void sums(const T* values, T* result, int iterations) {
    T kept[64];
    for (int k = 0; k < 64; ++k) kept[k] = values[thread() + k];
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
        const T x = __shfl_sync(FULL_WARP, kept[63], 1);
        for (int k = 63; k > 0; --k) kept[k] = kept[k - 1] + x * kept[k];
        kept[0] = x;
    }
    T sum = 0;
    for (int k = 0; k < 64; ++k) sum += kept[k];
    result[thread()] = sum;
}

template <typename T>
__global__ void __launch_bounds__(1024, 2) rolled_spilling(const T* values, T* result, int iterations) {
    sums(values, result, iterations);
}

template <typename T>
__global__ void __launch_bounds__(256) rolled_hoarding(const T* values, T* result, int iterations) {
    sums(values, result, iterations);
}
