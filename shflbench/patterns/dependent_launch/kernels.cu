// A kernel that needs the results of another one, and has work to do before.
#include "steps.cuh"

// In the order of the stream.
__global__ void LAUNCH_BOUNDS
dependent_launch_stream_order(const int* values, int* between) { produce(values, between); }
__global__ void LAUNCH_BOUNDS dependent_launch_consume(const int* weights, const int* between, int* result) {
    const int x = prologue(weights);
    result[thread()] = x + 2 * between[other()];
}

// Both in one kernel, which is possible because a block needs results of its own only.
__global__ void LAUNCH_BOUNDS dependent_launch_fused(const int* values, const int* weights, int* result) {
    __shared__ int between[BLOCK];
    between[threadIdx.x] = steps<WORK>(values[thread()]);
    const int x = prologue(weights);
    __syncthreads();
    result[thread()] = x + 2 * between[BLOCK - 1 - threadIdx.x];
}
