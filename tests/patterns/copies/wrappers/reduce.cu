//! *
#include "{copied}"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! smem smem-syncwarp smem-wide smem4-shfl smem8-shfl
    T* slots = shared<T>();
    const auto sum = [=](T x) { return warp_sum(x, slots); };
//! smem-double smem8-shfl-double
    T *now = shared<T>(), *next = now + blockDim.x;
    const auto sum = [&](T x) { return warp_sum(x, now, next); };
//! cub cub-group
    __shared__ WarpReduce::TempStorage storage[WARP * (WARP / WIDTH)];
    const auto sum = [&](T x) { return warp_sum(x, storage[threadIdx.x / WIDTH]); };
//! shfl redux redux-mask redux-padded cg cg-group
    const auto sum = [](T x) { return warp_sum(x); };
//! *
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, sum(x));
    result[thread()] = x;
}
