// Adds the sum of an array to `total`, which is zero before. The first four kernels have a tree for BLOCK elements, or
// twice as many, as the first steps of the guide; the others let each thread add up its elements first.
#include "copied/first-add.cuh"
#include "copied/interleaved-strided.cuh"
#include "copied/interleaved.cuh"
#include "copied/last-block-acq-rel.cuh"
#include "copied/last-block.cuh"
#include "copied/sequential.cuh"
#include "copied/shfl-atomic-warp.cuh"
#include "copied/shfl-vector.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-vector.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"
#include "sums.cuh"

// Interleaved addressing: threads whose number is a multiple of 2, 4, 8, … add. Every warp diverges.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_interleaved(const T* values, Sum<T>* total) {
    shflbench::interleaved::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// The first threads add, those of the same distance as before: whole warps, but with bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_interleaved_strided(const T* values, Sum<T>* total) {
    shflbench::interleaved_strided::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// Sequential addressing: no divergence, no bank conflicts.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_sequential(const T* values, Sum<T>* total) {
    shflbench::sequential::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// The first addition during the load: half as many trees.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_first_add(const T* values, Sum<T>* total) {
    shflbench::first_add::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// Each thread adds up its elements in a register; then one tree per block.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem(const T* values, Sum<T>* total) {
    shflbench::smem::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem_vector(const T* values, Sum<T>* total) {
    shflbench::smem_vector::add_sum<BLOCK>(values, ALL, total, shared<Sum<T>>());
}

// UNSAFE: the last warp has no barriers; it relies on lockstep execution, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_smem_unsafe(const T* values, Sum<T>* total) {
    Sum<T>* slots = shared<Sum<T>>();
    const int t = threadIdx.x;
    slots[t] = shflbench::smem::thread_sum<BLOCK>(values, ALL);
    __syncthreads();
    for (int distance = BLOCK / 2; distance > WARP; distance /= 2) {
        if (t < distance) slots[t] += slots[t + distance];
        __syncthreads();
    }
    if (t < WARP) {
        for (int distance = WARP; distance > 0; distance /= 2) {
            volatile_store(&slots[t], volatile_load(&slots[t]) + volatile_load(&slots[t + distance]));
        }
    }
    if (t == 0) atomicAdd(total, slots[0]);
}

// Shuffles within warps, and shared memory from warp to warp.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::shfl::add_sum<BLOCK>(values, ALL, total, of_warps);
}

// Loads of 16 bytes.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl_vector(const T* values, Sum<T>* total) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::shfl_vector::add_sum<BLOCK>(values, ALL, total, of_warps);
}

// One atomic addition per warp: no shared memory, no barrier.
template <typename T>
__global__ void LAUNCH_BOUNDS device_reduce_shfl_atomic_warp(const T* values, Sum<T>* total) {
    shflbench::shfl_atomic_warp::add_sum<BLOCK>(values, ALL, total);
}

// Each block stores its sum; the block that finishes last adds up all of them, always in the same order. The fences
// order a block's store before its ticket, and the last ticket before the loads. Partial sums and tickets are zero before
// and after.
template <typename T>
__global__ void LAUNCH_BOUNDS
device_reduce_last_block(const T* values, Sum<T>* total, Sum<T>* partial, unsigned* tickets) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::last_block::store_sum<BLOCK>(values, ALL, total, partial, tickets, of_warps);
}

// The same with a ticket that releases the block's sum and acquires those of the others, instead of sequential fences.
template <typename T>
__global__ void LAUNCH_BOUNDS
device_reduce_last_block_acq_rel(const T* values, Sum<T>* total, Sum<T>* partial, unsigned* tickets) {
    __shared__ Sum<T> of_warps[BLOCK / WARP];
    shflbench::last_block_acq_rel::store_sum<BLOCK>(values, ALL, total, partial, tickets, of_warps);
}
