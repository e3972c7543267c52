// Each lane takes in the value of its left neighbour; the first lane, that of the last one.
//
// A variant `a-b` is the kernel my_exchange_a_b. It takes the buffers of pattern.py, then the number of trips.
// shflbench.cuh has thread(), lane(), shared<T>(), shfl(), mix() and the timed loop REPEAT.
#include "shflbench.cuh"

__device__ int left_lane() { return (lane() + WARP - 1) % WARP; }

template <typename T>
__global__ void my_exchange_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, left = first_of_warp() + left_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncthreads();  // all have written, so that a slot can be read
        x = mix(x, slots[left]);
        __syncthreads();  // all have read, so that a slot can be written again
    }
    result[thread()] = x;
}

template <typename T>
__global__ void my_exchange_shfl(const T* values, T* result, int iterations) {
    const int left = left_lane();
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shfl(x, left));
    result[thread()] = x;
}
