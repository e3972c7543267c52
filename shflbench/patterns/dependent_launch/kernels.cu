// A kernel that needs the results of another one, and has work to do before.
#include "copied/fused.cuh"
#include "copied/stream-order.cuh"
#include "shflbench.cuh"

// In the order of the stream.
__global__ void LAUNCH_BOUNDS dependent_launch_stream_order(const int* values, int* between) {
    shflbench::stream_order::produce(values, between);
}
__global__ void LAUNCH_BOUNDS dependent_launch_consume(const int* weights, const int* between, int* result) {
    shflbench::stream_order::consume(weights, between, result);
}

// Both in one kernel, which is possible because a block needs results of its own only.
__global__ void LAUNCH_BOUNDS dependent_launch_fused(const int* values, const int* weights, int* result) {
    __shared__ int between[BLOCK];
    shflbench::fused::produce_and_consume(values, weights, result, between);
}
