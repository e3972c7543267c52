// One sum of the values of several blocks.
#include "copied/add.cuh"
#include "copied/first-warp.cuh"
#include "copied/lanes-per-group.cuh"
#include "copied/larger-block.cuh"
#include "copied/last-block.cuh"
#include "copied/last-block-acq-rel.cuh"
#include "copied/two-launches.cuh"
#include "copied/warp-per-group.cuh"
#include "shflbench.cuh"

// The sums of blocks through global memory; a second launch, of one thread per group of blocks, adds them.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_two_launches(const T* values, T* partial) {
    shflbench::two_launches::sum_blocks<BLOCK>(values, partial);
}
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_second(const T* partial, T* sums, int groups) {
    shflbench::two_launches::sum_partial(partial, sums, groups);
}

// The same through global memory in one launch: the last block that takes a ticket of its group adds.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_last_block(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::last_block::cluster_sum<BLOCK>(values, sums, partial, tickets);
}

// The same with a ticket that releases the block's sum and acquires those of the others, instead of sequential fences.
template <typename T>
__global__ void LAUNCH_BOUNDS
cluster_reduce_last_block_acq_rel(const T* values, T* sums, T* partial, unsigned* tickets) {
    shflbench::last_block_acq_rel::cluster_sum<BLOCK>(values, sums, partial, tickets);
}

// Each block adds its sum, in any order, to that of its group, which is zero before.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_add(const T* values, T* sums) {
    shflbench::add::cluster_sum<BLOCK>(values, sums);
}

// One block with the threads of all.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_larger_block(const T* values, T* sums) {
    shflbench::larger_block::cluster_sum<OPTION_CLUSTER * BLOCK>(values, sums);
}

// The same block, but its first warp loads all values, 16 bytes per lane at a time, so that there is no barrier and no
// shared memory. The other warps end at once.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_first_warp(const T* values, T* sums) {
    shflbench::first_warp::cluster_sum<OPTION_CLUSTER * BLOCK>(values, sums);
}

// The same with one warp per group, and as many groups per block as it has warps: no warp that only starts and ends.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_warp_per_group(const T* values, T* sums, int groups) {
    shflbench::warp_per_group::cluster_sum<BLOCK>(values, sums, groups);
}

// The same with a lane per 32 values: several groups per warp, unless a group has 1024.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_lanes_per_group(const T* values, T* sums, int groups) {
    shflbench::lanes_per_group::cluster_sum<BLOCK>(values, sums, groups);
}
