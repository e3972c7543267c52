// All lanes get the values of one lane, which is known only at run time, and mix them into their own: values that were
// once the same in all lanes would not have to be broadcast again, and the compiler would know.
#include "broadcast.cuh"
#include "shflbench.cuh"

// The slot of a warp's value k. Not side by side: the compiler would fuse the accesses, which is what smem-wide shows.
template <typename T>
__device__ T* slot(int k) { return shared<T>() + k * (blockDim.x / WARP) + threadIdx.x / WARP; }

// Two barriers: the first between the source's write and the reads, the second between the reads and the next source's
// write.
template <typename T>
__global__ void broadcast_smem(const T* numbers, const int* sources, T* result, int iterations) {
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

// The values never leave the warp, so the warp is all that has to be synchronised.
template <typename T>
__global__ void broadcast_smem_syncwarp(const T* numbers, const int* sources, T* result, int iterations) {
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

// UNSAFE: trusts that a warp runs in lock step, which no GPU since Volta promises.
template <typename T>
__global__ void broadcast_smem_unsafe(const T* numbers, const int* sources, T* result, int iterations) {
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

// Four values in one access of 128 bits, which a shuffle does not have.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
    T number[4];
};

template <typename T>
__global__ void broadcast_smem_wide(const T* numbers, const int* sources, T* result, int iterations) {
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
__global__ void broadcast_shfl(const T* numbers, const int* sources, T* result, int iterations) {
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], shfl(x[k], source));
        source = next_source(source);
    }
    store(result, x);
}
