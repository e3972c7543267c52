// Every element becomes its right neighbor minus itself; the last one has no neighbor and becomes zero.
// A warp processes a strip of `strip` times 32 elements. Input and output do not overlap (__restrict__), so that
// the compiler may load ahead of its stores, in all variants.
#include "copied/global.cuh"
#include "copied/shfl.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_global(const T* __restrict__ x, T* __restrict__ result, int count) {
    shflbench::global::adjacent_difference(x, result, count);
}

template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_smem(const T* __restrict__ x, T* __restrict__ result, int count) {
    shflbench::smem::adjacent_difference(x, result, count, shared<T>());
}

template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_difference_shfl(const T* __restrict__ x, T* __restrict__ result, int count) {
    shflbench::shfl::adjacent_difference(x, result, count);
}
