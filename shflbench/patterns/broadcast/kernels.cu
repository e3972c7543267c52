// All lanes get the values of one lane, which is known only at run time, and mix them with their own: if all lanes held
// the same values, no further broadcast would be needed, and the compiler would know.
#include "broadcast.cuh"
#include "shflbench.cuh"

// The slot of value k of a warp. Not side by side: the compiler would merge the accesses, which smem-wide shows.
template <typename T>
__device__ T* slot(int k) { return shared<T>() + k * (blockDim.x / WARP) + threadIdx.x / WARP; }

// Two barriers: the first between the write of the source and the reads, the second between the reads and the write of
// the next source.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        if (lane() == source) {
            for (int k = 0; k < VALUES; ++k) *slot<T>(k) = x[k];
        }
        __syncthreads();
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], *slot<T>(k));
        __syncthreads();
        source = next_source(source);
    }
    store(result, x);
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem_syncwarp(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        if (lane() == source) {
            for (int k = 0; k < VALUES; ++k) *slot<T>(k) = x[k];
        }
        __syncwarp();
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], *slot<T>(k));
        __syncwarp();
        source = next_source(source);
    }
    store(result, x);
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem_unsafe(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        if (lane() == source) {
            for (int k = 0; k < VALUES; ++k) volatile_store(slot<T>(k), x[k]);
        }
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], volatile_load(slot<T>(k)));
        source = next_source(source);
    }
    store(result, x);
}

// Four values in one access of 128 bits; a shuffle moves 32 bits.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
    T number[4];
};

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem_wide(const T* numbers, const int* sources, T* result, int iterations) {
    Four<T>* wide = shared<Four<T>>() + threadIdx.x / WARP;
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        if (lane() == source) *wide = {x[0], x[1], x[2], x[3]};
        __syncwarp();
        const Four<T> got = *wide;
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], got.number[k]);
        __syncwarp();
        source = next_source(source);
    }
    store(result, x);
}

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_shfl(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], shfl(x[k], source));
        source = next_source(source);
    }
    store(result, x);
}
