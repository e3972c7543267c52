// Each thread reserves one slot of a queue: it takes the next free index of the queue and increments it.
#include "shflbench.cuh"

// One atomic addition per thread. If the compiler can prove that all lanes add to one address, it merges the 32
// additions of a warp; it cannot know that `stride` is 0.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_atomic(T* next, T* slots, int stride) {
    slots[thread()] = atomicAdd(next + lane() * stride, 1);
}

// The plain form. The compiler lets one lane add for all active lanes, and broadcasts the result by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_atomic_plain(T* next, T* slots) { slots[thread()] = atomicAdd(next, 1); }

// One lane reserves for the whole warp, and broadcasts the result by a shuffle.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_shfl(T* next, T* slots) {
    T first = 0;
    if (lane() == 0) first = atomicAdd(next, WARP);
    slots[thread()] = __shfl_sync(FULL_WARP, first, 0) + lane();
}

// One lane reserves for the whole warp, and writes the result to shared memory for the others.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_leader_smem(T* next, T* slots) {
    T* first = shared<T>() + threadIdx.x / WARP;  // one per warp of the block
    if (lane() == 0) *first = atomicAdd(next, WARP);
    __syncwarp();
    slots[thread()] = *first + lane();
}

// The hardware chooses the lane that reserves for the warp, which the compiler then knows to be one.
template <typename T>
__global__ void LAUNCH_BOUNDS reserve_elect(T* next, T* slots) {
    T first = 0;
    int leader, is_leader;
    asm volatile("{.reg .pred p; elect.sync %0|p, %2; selp.b32 %1, 1, 0, p;}"
                 : "=r"(leader), "=r"(is_leader) : "r"(FULL_WARP));
    if (is_leader) first = atomicAdd(next, WARP);
    slots[thread()] = __shfl_sync(FULL_WARP, first, leader) + lane();
}
