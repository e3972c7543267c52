// Rotations as in `neighbor`. All but the first are wrong, crash or never end, which their machine code does not show.
// Cases are verified with odd numbers of iterations and timed with even ones: some go wrong only when they are timed.
#include "shflbench.cuh"

__device__ int right_lane() { return (lane() + 1) % WARP; }
__device__ int wrong_in_one_lane() { return lane() == 5 ? 7 : right_lane(); }
__device__ bool last_warp() { return thread() / WARP == int(gridDim.x * blockDim.x) / WARP - 1; }

template <typename T>
__device__ T rotated(const T* values, int iterations) {
    const int right = right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, right);
    return x;
}

__device__ bool timed(int iterations) { return iterations % 2 == 0; }
__device__ void for_ever() { asm volatile("wait: bra wait;"); }

template <typename T>
__global__ void faulty_right(const T* values, T* result, int iterations) {
    result[thread()] = rotated(values, iterations);
}

template <typename T>
__global__ void faulty_one_lane(const T* values, T* result, int iterations) {
    const int from = last_warp() ? wrong_in_one_lane() : right_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, from);
    result[thread()] = x;
}

template <typename T>
__global__ void faulty_second_iteration(const T* values, T* result, int iterations) {
    const int right = right_lane(), wrong = wrong_in_one_lane();
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, iteration > 0 ? wrong : right);
    result[thread()] = x;
}

// Whole passes through the unrolled loop are wrong, the remaining iterations are right.
template <typename T>
__global__ void faulty_unrolled_body(const T* values, T* result, int iterations) {
    const int right = right_lane(), wrong = wrong_in_one_lane();
    const int body = iterations / UNROLL * UNROLL;
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, iteration < body ? wrong : right);
    result[thread()] = x;
}

// Whole passes leave the values where they are. An even number of them would be 32 iterations, a full turn.
template <typename T>
__global__ void faulty_lost_passes(const T* values, T* result, int iterations) {
    const int right = right_lane();
    const int body = iterations / UNROLL * UNROLL;
    T x = values[thread()];
    REPEAT(iterations) x = __shfl_sync(FULL_WARP, x, iteration < body ? lane() : right);
    result[thread()] = x;
}

// Stores terabytes behind its result, where no memory is mapped.
template <typename T>
__global__ void faulty_illegal(const T* values, T* result, int iterations) {
    result[thread() + (1LL << 40)] = rotated(values, iterations);
}

// Stores at addresses that no value of this size may have.
template <typename T>
__global__ void faulty_misaligned(const T* values, T* result, int iterations) {
    char* bytes = reinterpret_cast<char*>(result) + (timed(iterations) ? 1 : 0);
    reinterpret_cast<T*>(bytes)[thread()] = rotated(values, iterations);
}

template <typename T>
__global__ void faulty_endless(const T* values, T* result, int iterations) {
    result[thread()] = rotated(values, iterations);
    if (!timed(iterations)) for_ever();
}

template <typename T>
__global__ void faulty_endless_when_timed(const T* values, T* result, int iterations) {
    result[thread()] = rotated(values, iterations);
    if (timed(iterations)) for_ever();
}
