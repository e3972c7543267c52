// The sum of the values of a block, and of a few sums; thread 0 gets it.
#pragma once
#include "cluster.cuh"

template <typename T>
__device__ T warp_sum(T x) {
#pragma unroll
    for (int offset = WARP / 2; offset > 0; offset /= 2) x = add(x, shfl_down(x, offset));
    return x;
}

template <int WARPS, typename T>
__device__ T block_sum(T x) {
    __shared__ T sums[WARPS];
    x = warp_sum(x);
    if (lane() == 0) sums[threadIdx.x / WARP] = x;
    __syncthreads();
    return threadIdx.x < WARP ? warp_sum(lane() < WARPS ? sums[lane()] : T(0)) : x;
}

// The sum of the first BLOCKS elements, in their order.
template <typename T>
__device__ T few(const T* sums) {
    T sum = sums[0];
#pragma unroll
    for (int i = 1; i < BLOCKS; ++i) sum = add(sum, sums[i]);
    return sum;
}
