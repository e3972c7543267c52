// All lanes of a warp need the same value in each iteration, which takes `work` steps to calculate from a number of the
// warp and the number of the iteration.
#include "copied/recompute.cuh"
#include "copied/shfl-ahead.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-ahead.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"
#include "steps.cuh"

__device__ inline int warp() { return threadIdx.x / WARP; }

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_recompute(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        x = advance(x, shflbench::recompute::warp_value([=] { return value_of(number + iteration); }));
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_shfl(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        x = advance(x, shflbench::shfl::warp_value([=] { return value_of(number + iteration); }));
    }
    result[thread()] = x;
}

// Two slots per warp: a slot is written again two iterations later, with a warp barrier in between.
template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_smem(const T* values, const int* numbers, T* result, int iterations) {
    T* slots = shared<T>() + 2 * warp();
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        x = advance(x, shflbench::smem::warp_value(iteration, slots, [=](int i) { return value_of(number + i); }));
    }
    result[thread()] = x;
}

// Every 32 iterations, each lane calculates the value of one of the next 32.
template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_shfl_ahead(const T* values, const int* numbers, T* result, int iterations) {
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    T ahead = 0;
    REPEAT(iterations) {
        x = advance(x, shflbench::shfl_ahead::warp_value(iteration, ahead, [=](int i) { return value_of(number + i); }));
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS warp_value_smem_ahead(const T* values, const int* numbers, T* result, int iterations) {
    T* slots = shared<T>() + WARP * warp();
    const unsigned number = numbers[thread() / WARP];
    unsigned x = values[thread()];
    REPEAT(iterations) {
        x = advance(x, shflbench::smem_ahead::warp_value(iteration, slots, [=](int i) { return value_of(number + i); }));
    }
    result[thread()] = x;
}
