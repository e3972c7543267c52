// One sum of the values of several blocks.
#include "sum.cuh"

constexpr int WARPS = BLOCK / WARP;

// The sums of blocks through global memory; a second launch, of one thread per group of blocks, adds them.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_two_launches(const T* values, T* partial) {
    const T sum = block_sum<WARPS>(values[thread()]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_second(const T* partial, T* sums, int groups) {
    if (thread() < groups) sums[thread()] = few(partial + thread() * BLOCKS);
}

// The same through global memory in one launch: the last block that takes a ticket of its group adds.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_last_block(const T* values, T* sums, T* partial, unsigned* tickets) {
    const T sum = block_sum<WARPS>(values[thread()]);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / BLOCKS;
    partial[blockIdx.x] = sum;
    __threadfence();
    if (atomicInc(&tickets[group], BLOCKS - 1) != BLOCKS - 1) return;
    __threadfence();
    sums[group] = few(partial + group * BLOCKS);
}

// The same with a ticket that releases the block's sum and acquires those of the others, instead of sequential fences.
template <typename T>
__global__ void LAUNCH_BOUNDS
cluster_reduce_last_block_acq_rel(const T* values, T* sums, T* partial, unsigned* tickets) {
    const T sum = block_sum<WARPS>(values[thread()]);
    if (threadIdx.x != 0) return;
    const int group = blockIdx.x / BLOCKS;
    partial[blockIdx.x] = sum;
    unsigned ticket;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(ticket) : "l"(&tickets[group]), "r"(BLOCKS - 1) : "memory");
    if (ticket == BLOCKS - 1) sums[group] = few(partial + group * BLOCKS);
}

// Each block adds its sum, in any order, to that of its group, which is zero before.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_add(const T* values, T* sums) {
    const T sum = block_sum<WARPS>(values[thread()]);
    if (threadIdx.x == 0) atomicAdd(&sums[blockIdx.x / BLOCKS], sum);
}

// One block with the threads of all.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_larger_block(const T* values, T* sums) {
    const T sum = block_sum<BLOCKS * WARPS>(values[thread()]);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
