// Each thread reserves one slot of a queue: it takes the next free index of the queue and increments it.
#include "copied/atomic.cuh"
#include "copied/leader-block.cuh"
#include "shflbench.cuh"

// One atomic addition per thread. If the compiler can prove that all lanes add to one address, it merges the 32
// additions of a warp; it cannot know that `stride` is 0.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_atomic(T* next, T* slots, int stride) {
    slots[thread()] = shflbench::atomic::my_reserve_slot(next, lane() * stride);
}




// One thread reserves for the whole block, and writes the result to shared memory for the others: the fewest additions
// to the counter, and a barrier of the block.
template <typename T>
__global__ void LAUNCH_BOUNDS my_reserve_leader_block(T* next, T* slots) {
    slots[thread()] = shflbench::leader_block::my_reserve_slot(next);
}

