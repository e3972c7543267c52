// Rotations as in `neighbor` that go wrong on a real GPU; the machine code of their loops is as declared.
// Cases are verified with odd numbers of iterations and timed with even ones: some go wrong only when they are timed.
#include "shflbench.cuh"

template <typename T>
__device__ T rotated(const T* values, int iterations) {
    const int right = (lane() + 1) % WARP;
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
