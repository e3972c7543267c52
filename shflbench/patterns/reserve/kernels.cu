// Each thread reserves one slot of a queue: it takes the next free index of the queue and increments it.
#include "copied/atomic-plain.cuh"
#include "copied/atomic.cuh"
#include "copied/elect.cuh"
#include "copied/leader-block-once.cuh"
#include "copied/leader-block.cuh"
#include "copied/leader-larger-block.cuh"
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

// The same in blocks of 1,024 threads, whatever those of the launch: fewer additions. `threads` are those of the launch; in the
// last block, those beyond them have no slot.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_larger_block(T* next, T* slots, int threads) {
    const int left = threads - int(blockIdx.x * blockDim.x), of_block = min(left, int(blockDim.x));
    const T slot = shflbench::leader_larger_block::reserve_slot(next, of_block);
    if (threadIdx.x < of_block) slots[thread()] = slot;
}

// Fewer blocks: each reserves `slots_of_block` slots by one addition, the last one what is left, and its threads take several.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_block_once(T* next, T* slots, int threads, int slots_of_block) {
    const int begin = blockIdx.x * slots_of_block, end = min(begin + slots_of_block, threads);
    const T first = shflbench::leader_block_once::reserve_slots(next, end - begin);
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x) slots[i] = first + (i - begin);
}

// The hardware chooses the lane that reserves for the warp, which the compiler then knows to be one.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_elect(T* next, T* slots) {
    slots[thread()] = shflbench::elect::reserve_slot(next);
}
