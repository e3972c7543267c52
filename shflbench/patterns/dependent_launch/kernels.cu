// A kernel that needs the results of another one, and has work to do before.
#include "shflbench.cuh"

constexpr int WORK = OPTION_WORK, PROLOGUE = OPTION_PROLOGUE;  // steps of the first kernel, and of the second one before it waits

// Steps that depend on one another; the factor is odd, so that no difference is lost.
template <int STEPS>
__device__ int steps(int x) {
#pragma unroll 8
    for (int i = 0; i < STEPS; ++i) x = int(unsigned(x) * 0x9E3779B1u + 1);
    return x;
}

// The thread of the block whose result a thread needs: that at the other end.
__device__ inline int other() { return blockIdx.x * BLOCK + (BLOCK - 1 - threadIdx.x); }

__device__ inline void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

__device__ inline void produce(const int* values, int* between) { between[thread()] = steps<WORK>(values[thread()]); }
__device__ inline int prologue(const int* weights) { return steps<PROLOGUE>(weights[thread()]); }

// In the order of the stream.
__global__ void dependent_launch_stream_order(const int* values, int* between) { produce(values, between); }
__global__ void dependent_launch_consume(const int* weights, const int* between, int* result) {
    const int x = prologue(weights);
    result[thread()] = x + 2 * between[other()];
}

// The second kernel may begin as soon as all blocks of the first one have let it, or have ended.
__global__ void dependent_launch_early_signal(const int* values, int* between) {
    let_next_begin();
    produce(values, between);
}
__global__ void dependent_launch_late_signal(const int* values, int* between) {
    produce(values, between);
    let_next_begin();
}
__global__ void dependent_launch_no_signal(const int* values, int* between) { produce(values, between); }
__global__ void dependent_launch_consume_after_wait(const int* weights, const int* between, int* result) {
    const int x = prologue(weights);
    wait_for_kernel_before();
    result[thread()] = x + 2 * between[other()];
}

// Both in one kernel, which is possible because a block needs results of its own only.
__global__ void dependent_launch_fused(const int* values, const int* weights, int* result) {
    __shared__ int between[BLOCK];
    between[threadIdx.x] = steps<WORK>(values[thread()]);
    const int x = prologue(weights);
    __syncthreads();
    result[thread()] = x + 2 * between[BLOCK - 1 - threadIdx.x];
}
