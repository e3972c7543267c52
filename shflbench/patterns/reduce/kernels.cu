// All lanes of a group of WIDTH lanes get the sum of the group's values, by a butterfly of log2(WIDTH) exchanges.
#include "copied/shfl.cuh"
#include "copied/smem-double.cuh"
#include "copied/smem-syncwarp.cuh"
#include "copied/smem-wide-double.cuh"
#include "copied/smem-wide.cuh"
#include "copied/smem.cuh"
#include "copied/smem4-shfl.cuh"
#include "copied/smem8-shfl-double.cuh"
#include "copied/smem8-shfl.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Two barriers per exchange: the first between a slot's write and its read, the second between that
// read and the slot's next write.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem::warp_sum(x, slots));
    result[thread()] = x;
}

// Two buffers, one barrier per exchange. An iteration may have an odd number of exchanges, so the order of
// the buffers carries over to the next iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_double::warp_sum(x, now, next));
    result[thread()] = x;
}

// The values never leave the warp, so synchronizing the warp is enough.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_syncwarp(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_syncwarp::warp_sum(x, slots));
    result[thread()] = x;
}

// One store, and each lane adds all values of its group, 16 bytes at a time.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_wide(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_wide::warp_sum(x, slots));
    result[thread()] = x;
}

// Two buffers in turn, one barrier, and a sum that grows from load to load, the same in all lanes: after the last of
// eight loads, three additions are left, not the five of a tree.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_wide_double(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem_wide_double::warp_sum(x, now, next));
    result[thread()] = x;
}

// One store, each lane adds the values of four or of eight lanes, and shuffles do the rest. From four such groups to their
// sum, three shuffles do not wait for one another.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem4_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem4_shfl::warp_sum(x, slots));
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem8_shfl(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem8_shfl::warp_sum(x, slots));
    result[thread()] = x;
}

// Two buffers in turn: the barrier of the next iteration separates the loads from the next store to the same buffer. Those of a
// warp lie side by side, so that both have the same addresses but for a constant.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem8_shfl_double(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem8_shfl_double::warp_sum(x, slots, offset));
    result[thread()] = x;
}

// UNSAFE: relies on lockstep execution of a warp, which no GPU since Volta guarantees.
template <typename T>
__global__ void LAUNCH_BOUNDS reduce_smem_unsafe(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    const int mine = threadIdx.x;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        for (int distance = WIDTH / 2; distance > 0; distance /= 2) {
            volatile_store(&slots[mine], sum);
            sum = add(sum, volatile_load(&slots[mine ^ distance]));
        }
        x = advance(x, sum);
    }
    result[thread()] = x;
}

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::shfl::warp_sum(x));
    result[thread()] = x;
}
