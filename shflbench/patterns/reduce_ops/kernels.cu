// All lanes get the result of an operation over the warp's values, by a butterfly of five exchanges.
#include "copied/shfl.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem.cuh"
#include "operation.cuh"
#include "shflbench.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::WARP_OPERATION(contribution(x), slots));
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::WARP_OPERATION(contribution(x), slots));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_smem_unsafe(const T* values, T* result, int iterations) {
    volatile T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T all = contribution(x);
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            slots[mine] = all;
            all = combine(all, T(slots[mine ^ distance]));
        }
        x = advance(x, all);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_ops_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::WARP_OPERATION(contribution(x)));
    result[thread()] = x;
}
