// Each thread reserves one slot of a queue: it takes the next free index of the queue and increments it.
#include "copied/atomic-plain.cuh"
#include "copied/atomic.cuh"
#include "copied/elect.cuh"
#include "copied/leader-block.cuh"
#include "copied/leader-shfl.cuh"
#include "copied/leader-smem.cuh"
#include "shflbench.cuh"

// One atomic addition per thread. If the compiler can prove that all lanes add to one address, it merges the 32
// additions of a warp; it cannot know that `stride` is 0.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_atomic(T* next, T* slots, int stride) {
    slots[thread()] = shflbench::atomic::reserve_slot(next, lane() * stride);
}

// The plain form. The compiler lets one lane add for all active lanes, and broadcasts the result by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_atomic_plain(T* next, T* slots) {
    slots[thread()] = shflbench::atomic_plain::reserve_slot(next);
}

// One lane reserves for the whole warp, and broadcasts the result by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_shfl(T* next, T* slots) {
    slots[thread()] = shflbench::leader_shfl::reserve_slot(next);
}

// One lane reserves for the whole warp, and writes the result to shared memory for the others.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_smem(T* next, T* slots) {
    slots[thread()] = shflbench::leader_smem::reserve_slot(next, shared<T>());
}

// One thread reserves for the whole block, and writes the result to shared memory for the others: the fewest additions
// to the counter, and a barrier of the block.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_block(T* next, T* slots) {
    slots[thread()] = shflbench::leader_block::reserve_slot(next);
}

// The hardware chooses the lane that reserves for the warp, which the compiler then knows to be one.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_elect(T* next, T* slots) {
    slots[thread()] = shflbench::elect::reserve_slot(next);
}
