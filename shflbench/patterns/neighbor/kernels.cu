// Each lane takes the value of another lane: of its right neighbor (idx; the last lane takes that of the first), of its
// left or right neighbor (up, down; the lane at the edge keeps its own), or of its partner in a pair (xor).
#include "copied/shfl.cuh"
#include "copied/smem-double.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

__device__ int source_lane() {
#if OPTION_MODE_UP
    return max(lane() - 1, 0);
#elif OPTION_MODE_DOWN
    return min(lane() + 1, WARP - 1);
#elif OPTION_MODE_XOR
    return lane() ^ 1;
#else
    return (lane() + 1) % WARP;
#endif
}

// Repeated, up and down make all lanes equal, and xor twice restores the input: in these modes a lane mixes the
// received value with its own. The indexed exchange is a plain move, as in the deck.
template <typename T>
__device__ T next(T own, T got) {
#if OPTION_MODE_IDX
    return got;
#else
    return mix(own, got);
#endif
}

// Two barriers: the first between a slot's write and its read, the second between that read and the
// slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = next(x, shflbench::smem::from_neighbor(x, slots));
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *later = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = next(x, shflbench::smem_double::from_neighbor(x, now, later));
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = next(x, shflbench::smem_syncwarp::from_neighbor(x, slots));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, source = first_of_warp() + source_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        volatile_store(&slots[mine], x);
        x = next(x, volatile_load(&slots[source]));
    }
    result[thread()] = x;
}

// UNSAFE, as printed in the GTC 2013 deck: no barrier between the read of the neighbor's slot and
// the next write to the own slot, which the left neighbor may not have read yet.
template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_smem_deck(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, source = first_of_warp() + source_lane();
    T x = slots[mine] = values[thread()];
    __syncthreads();
    REPEAT(iterations) {
        x = slots[mine] = next(x, slots[source]);
        __syncthreads();
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS neighbor_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = next(x, shflbench::shfl::from_neighbor(x));
    result[thread()] = x;
}
