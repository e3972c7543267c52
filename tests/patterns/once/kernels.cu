#include "shflbench.cuh"

__device__ int right() { return first_of_warp() + (lane() + 1) % WARP; }

template <typename T>
__global__ void once_global(const T* values, T* result) {
    result[thread()] = values[blockIdx.x * blockDim.x + right()];
}

template <typename T>
__global__ void once_shfl(const T* values, T* result) {
    result[thread()] = shfl(values[thread()], (lane() + 1) % WARP);
}
