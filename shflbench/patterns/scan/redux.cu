// The sum of the lower 16 lanes by an instruction for 32-bit integers, which GPUs have from sm_80 on. The scan of each half of
// the warp does not wait for it.
#include "copied/redux-shfl.cuh"
#include "copied/smem16-redux.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Within halves through shared memory: each lane adds up the values of its group of four, up to its own, and of the three
// groups below. Zeros below the first group of a half serve for those that do not exist. Two buffers, one barrier per
// iteration.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_smem16_redux(const T* values, T* result, int iterations) {
    T *now = shared<T>(), *next = now + 2 * blockDim.x;
    const int zero = threadIdx.x / 16 * 32 + threadIdx.x % 16;
    now[zero] = next[zero] = 0;
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::smem16_redux::prefix_sum(x, now, next));
    result[thread()] = x;
}

// Within halves by shuffles.
template <typename T>
__global__ void LAUNCH_BOUNDS scan_redux_shfl(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::redux_shfl::prefix_sum(x));
    result[thread()] = x;
}
