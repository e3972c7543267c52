// Each thread reserves one slot of a queue: it takes the queue's next free index and moves that on by one.
#include "shflbench.cuh"

// As many atomic additions as threads. Where the compiler sees that all lanes add to one address, it makes one
// addition of a warp's 32; it cannot see that `stride` is 0.
template <typename T>
__global__ void reserve_atomic(T* next, T* slots, int stride) {
    slots[thread()] = atomicAdd(next + lane() * stride, 1);
}

// As one writes it. The compiler lets one lane add for all that are there, and tells the others by a shuffle.
template <typename T>
__global__ void reserve_atomic_plain(T* next, T* slots) { slots[thread()] = atomicAdd(next, 1); }

// One lane reserves for the whole warp, and tells the others.
template <typename T>
__global__ void reserve_leader_shfl(T* next, T* slots) {
    T first = 0;
    if (lane() == 0) first = atomicAdd(next, WARP);
    slots[thread()] = __shfl_sync(FULL_WARP, first, 0) + lane();
}

// One lane reserves for the whole warp, and leaves the result where the others find it.
template <typename T>
__global__ void reserve_leader_smem(T* next, T* slots) {
    T* first = shared<T>() + threadIdx.x / WARP;  // one for each of the block's warps
    if (lane() == 0) *first = atomicAdd(next, WARP);
    __syncwarp();
    slots[thread()] = *first + lane();
}
