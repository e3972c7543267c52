// Rotations as in `neighbor`. All but the first are wrong on purpose, in ways that the machine code does not show.
#include "shflbench.cuh"

__device__ int right_lane() { return (lane() + 1) % WARP; }
__device__ int wrong_in_one_lane() { return lane() == 5 ? 7 : right_lane(); }
__device__ bool last_warp() { return thread() / WARP == int(gridDim.x * blockDim.x) / WARP - 1; }

template <typename T>
__global__ void rotate_right(const T* values, T* result, int iterations) {
    const int right = right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, right);
    result[thread()] = x;
}

template <typename T>
__global__ void rotate_one_lane(const T* values, T* result, int iterations) {
    const int from = last_warp() ? wrong_in_one_lane() : right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, from);
    result[thread()] = x;
}

template <typename T>
__global__ void rotate_second_trip(const T* values, T* result, int iterations) {
    const int right = right_lane(), wrong = wrong_in_one_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, trip > 0 ? wrong : right);
    result[thread()] = x;
}

// Whole passes through the unrolled loop are wrong, the remaining trips are right.
template <typename T>
__global__ void rotate_unrolled_body(const T* values, T* result, int iterations) {
    const int right = right_lane(), wrong = wrong_in_one_lane();
    const int body = iterations / UNROLL * UNROLL;
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, trip < body ? wrong : right);
    result[thread()] = x;
}

// Whole passes leave the values where they are. An even number of them would be 32 trips, a full turn.
template <typename T>
__global__ void rotate_lost_passes(const T* values, T* result, int iterations) {
    const int right = right_lane();
    const int body = iterations / UNROLL * UNROLL;
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, trip < body ? lane() : right);
    result[thread()] = x;
}

// Stores terabytes behind its result, where no memory is mapped.
template <typename T>
__global__ void rotate_crash(const T* values, T* result, int iterations) {
    const int right = right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, right);
    result[thread() + (1LL << 40)] = x;
}
