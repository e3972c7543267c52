// All lanes of a warp need the same value in each iteration, which takes `work` steps to calculate from a number of the
// warp and the number of the iteration.
#include "shflbench.cuh"
#include "steps.cuh"

__device__ inline int warp() { return threadIdx.x / WARP; }

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_recompute(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) x = advance(x, value_of(number + iteration));
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_shfl(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        unsigned value = 0;
        if (lane() == 0) value = value_of(number + iteration);
        x = advance(x, __shfl_sync(FULL_WARP, value, 0));
    }
    result[thread()] = x;
}

// Two slots per warp: a slot is written again two iterations later, with a warp barrier in between.
template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_smem(const T* values, const int* numbers, T* result, int iterations) {
    unsigned* slots = shared<unsigned>() + 2 * warp();
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        if (lane() == 0) slots[iteration % 2] = value_of(number + iteration);
        __syncwarp();
        x = advance(x, slots[iteration % 2]);
    }
    result[thread()] = x;
}

// Every 32 iterations, each lane calculates the value of one of the next 32.
template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_shfl_ahead(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()], ahead = 0;
    REPEAT(iterations) {
        if (iteration % WARP == 0) ahead = value_of(number + iteration + lane());
        x = advance(x, __shfl_sync(FULL_WARP, ahead, iteration % WARP));
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_smem_ahead(const T* values, const int* numbers, T* result, int iterations) {
    unsigned* slots = shared<unsigned>() + WARP * warp();
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        if (iteration % WARP == 0) {
            __syncwarp();
            slots[lane()] = value_of(number + iteration + lane());
            __syncwarp();
        }
        x = advance(x, slots[iteration % WARP]);
    }
    result[thread()] = x;
}
