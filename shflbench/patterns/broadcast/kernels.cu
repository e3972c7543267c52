// All lanes get the values of one lane, which is known only at run time, and mix them with their own: if all lanes held
// the same values, no further broadcast would be needed, and the compiler would know.
#include "broadcast.cuh"
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-wide.cuh"
#include "copied/smem.cuh"
#include "shflbench.cuh"

// Two barriers: the first between the write of the source and the reads, the second between the reads and the write of
// the next source. The slots of a warp do not lie side by side: the compiler would merge the accesses, which smem-wide shows.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem(const T* numbers, const int* sources, T* result, int iterations) {
    T* slots = shared<T>();
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        mix_with_source(x, [=](Got<T> got) { return shflbench::smem::broadcast(got, source, slots); });
        source = next_source(source);
    }
    store(result, x);
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_smem_syncwarp(const T* numbers, const int* sources, T* result, int iterations) {
    T* slots = shared<T>();
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        mix_with_source(x, [=](Got<T> got) { return shflbench::smem_syncwarp::broadcast(got, source, slots); });
        source = next_source(source);
    }
    store(result, x);
}

// The slot of value k of a warp, as in the other kernels.
template <typename T>
__device__ T* slot(int k) { return shared<T>() + k * (blockDim.x / WARP) + threadIdx.x / WARP; }

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
__global__ void LAUNCH_BOUNDS broadcast_smem_wide(const T* numbers, const int* sources, T* result, int iterations) {
    T* slots = shared<T>();
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        mix_with_source(x, [=](Got<T> got) { return shflbench::smem_wide::broadcast(got, source, slots); });
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
        mix_with_source(x, [=](Got<T> got) { return shflbench::shfl::broadcast(got, source); });
        ++source;  // a shuffle takes it modulo 32
    }
    store(result, x);
}
