// Each lane takes its right neighbour's value; the last lane takes the first one's.
#include "shflbench.cuh"

__device__ int right_lane() { return (lane() + 1) % WARP; }

// Two barriers: the first between a slot's write and its read, the second between that read and the
// slot's next write.
template <typename T>
__global__ void neighbor_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, right = first_of_warp() + right_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncthreads();
        x = slots[right];
        __syncthreads();
    }
    result[thread()] = x;
}

// Two buffers, one barrier: while a slow warp still reads one buffer, a fast one writes the other.
template <typename T>
__global__ void neighbor_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    const int mine = threadIdx.x, right = first_of_warp() + right_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        now[mine] = x;
        __syncthreads();
        x = now[right];
        swap(now, next);
    }
    result[thread()] = x;
}

// The values never leave the warp, so the warp is all that has to be synchronised.
template <typename T>
__global__ void neighbor_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, right = first_of_warp() + right_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        __syncwarp();
        x = slots[right];
        __syncwarp();
    }
    result[thread()] = x;
}

// UNSAFE: trusts that a warp runs in lock step, which no GPU since Volta promises.
template <typename T>
__global__ void neighbor_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x, right = first_of_warp() + right_lane();
    T x = values[thread()];
    REPEAT(iterations) {
        slots[mine] = x;
        x = slots[right];
    }
    result[thread()] = x;
}

// UNSAFE, as printed in the GTC 2013 deck: no barrier between reading the neighbour's slot and
// overwriting one's own, which the left neighbour may not have read yet.
template <typename T>
__global__ void neighbor_smem_deck(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x, right = first_of_warp() + right_lane();
    slots[mine] = values[thread()];
    __syncthreads();
    REPEAT(iterations) {
        slots[mine] = slots[right];
        __syncthreads();
    }
    result[thread()] = slots[mine];
}

template <typename T>
__global__ void neighbor_shfl(const T* values, T* result, int iterations) {
    const int right = right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, right);
    result[thread()] = x;
}
