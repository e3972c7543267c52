// One sum of the values of many blocks.
#include "copied/add-counted-few.cuh"
#include "copied/add-counted.cuh"
#include "copied/add.cuh"
#include "copied/first-waits.cuh"
#include "copied/grid-barrier.cuh"
#include "copied/last-block-acq-rel.cuh"
#include "copied/last-block-words-few.cuh"
#include "copied/last-block.cuh"
#include "copied/one-block.cuh"
#include "copied/two-launches-graph.cuh"
#include "copied/two-launches.cuh"
#include "copied/zero-add.cuh"
#include "shflbench.cuh"

constexpr int VALUES = OPTION_BLOCKS * BLOCK;  // of a group

// Of `…-few`: blocks of a group, so that a thread has two or three vectors of four values.
constexpr int PARTS = OPTION_BLOCKS % 12 == 0 ? OPTION_BLOCKS / 12 : OPTION_BLOCKS / 8;

// The sums of blocks through global memory; a second launch, of a warp per group of blocks, adds them.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_two_launches(const T* values, T* partial) {
    shflbench::two_launches::sum_blocks<BLOCK>(values, partial);
}
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_second(const T* partial, T* sums) {
    shflbench::two_launches::sum_partial(partial, sums);
}

// The same two kernels, as a CUDA graph.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_two_launches_graph(const T* values, T* partial) {
    shflbench::two_launches_graph::sum_blocks<BLOCK>(values, partial);
}
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_second_of_graph(const T* partial, T* sums) {
    shflbench::two_launches_graph::sum_partial(partial, sums);
}

// The same through global memory in one launch: the last block that takes a ticket of its group adds.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_last_block(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::last_block::grid_sum<BLOCK>(values, sums, partial, tickets);
}

// The same with a ticket that releases the block's sum and acquires those of the others, instead of sequential fences.
template <typename T>
__global__ void LAUNCH_BOUNDS
grid_reduce_last_block_acq_rel(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::last_block_acq_rel::grid_sum<BLOCK>(values, sums, partial, tickets);
}

// Each block adds its sum, in any order, to that of its group, which is zero before.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_add(const T* values, T* sums) {
    shflbench::add::grid_sum<BLOCK>(values, sums);
}

// The same after a launch that sets the sums to zero.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_zero_add(T* sums, int groups) {
    shflbench::zero_add::set_to_zero(sums, groups);
}
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_add_to_zero(const T* values, T* sums) {
    shflbench::zero_add::grid_sum<BLOCK>(values, sums);
}

// Each block adds its sum and 1 to the two halves of a word: whoever counts all others has their sum.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_add_counted(const T* values, T* sums, unsigned long long* counted) {
    shflbench::add_counted::grid_sum<BLOCK>(values, sums, counted);
}

// The same by fewer blocks, with loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_add_counted_few(const T* values, T* sums, unsigned long long* counted) {
    shflbench::add_counted_few::grid_sum<BLOCK, PARTS, VALUES>(values, sums, counted);
}

// As few blocks, each with a word for its sum and its flag: the last block that takes a ticket adds, without a fence.
template <typename T>
__global__ void LAUNCH_BOUNDS
grid_reduce_last_block_words_few(const T* values, T* sums, unsigned long long* words, unsigned* tickets) {
    shflbench::last_block_words_few::grid_sum<BLOCK, PARTS, VALUES>(values, sums, words, tickets);
}

// All blocks wait for one another; then the first one adds.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_grid_barrier(const T* values, T* sums, T* partial, unsigned* arrived) {
    shflbench::grid_barrier::grid_sum<BLOCK>(values, sums, partial, arrived);
}

// Only the first block waits for the others.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_first_waits(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::first_waits::grid_sum<BLOCK>(values, sums, partial, tickets);
}

// One block loads all values, 16 bytes per thread at a time. It has a thread per 16 bytes, up to 1,024 threads.
template <typename T>
__global__ void LAUNCH_BOUNDS grid_reduce_one_block(const T* values, T* sums) {
    shflbench::one_block::grid_sum<VALUES / 4 < 1024 ? VALUES / 4 : 1024, VALUES>(values, sums);
}
