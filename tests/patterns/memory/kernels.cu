// Rotations through the last slots of a large piece of shared memory.
#include "shflbench.cuh"

template <typename T>
__device__ T rotated(T x, int iterations, int bytes) {
    T* slots = shared<T>() + bytes / sizeof(T) - blockDim.x;
    const int mine = threadIdx.x, right = first_of_warp() + (lane() + 1) % WARP;
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        x = slots[right];
        __syncwarp();
    }
    return x;
}

template <typename T>
__global__ void memory_large(const T* values, T* result, int iterations) {
    result[thread()] = rotated(values[thread()], iterations, 64 << 10);
}

template <typename T>
__global__ void memory_too_large(const T* values, T* result, int iterations) {
    result[thread()] = rotated(values[thread()], iterations, 1 << 20);
}
