// Each thread adds up a private array, element after element, in each iteration: x += a[0], x += a[1], …
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

// In global memory, elements i of all lanes of a warp lie side by side, at `i * WARP + lane`: the warp copies whole lines, so
// that a launch hardly waits for the copy.
template <typename T>
__device__ const T* initial(const T* arrays) { return arrays + (thread() - lane()) * LENGTH + lane(); }

template <typename T>
__device__ void fill(T (&a)[LENGTH], const T* arrays) {
    const T* mine = initial(arrays);
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) a[i] = mine[i * WARP];
}

#define ADD4(i) x += a[i], x += a[i + 1], x += a[i + 2], x += a[i + 3]
#define ADD16(i) ADD4(i), ADD4(i + 4), ADD4(i + 8), ADD4(i + 12)

// Every index is a constant in the source, so that each element can have a register of its own.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_register_static(const T* arrays, T* result, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) {
        ADD4(0);
#if OPTION_LENGTH >= 8
        ADD4(4);
#endif
#if OPTION_LENGTH >= 16
        ADD4(8), ADD4(12);
#endif
#if OPTION_LENGTH >= 32
        ADD16(16);
#endif
#if OPTION_LENGTH >= 64
        ADD16(32), ADD16(48);
#endif
    }
    result[thread()] = x;
}

// The compiler unrolls the loop, which turns the indices into constants.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_register_unrolled(const T* arrays, T* result, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < LENGTH; ++i) x += a[i];
    }
    result[thread()] = x;
}

// The loop is unrolled, too, but starts at an index known only at run time. Both `start` and `step` are 0,
// which the compiler does not know: without `step` it could load once for all iterations.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_local(const T* arrays, T* result, int start, int step, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) {
#pragma unroll
        for (int i = 0; i < LENGTH; ++i) x += a[start + i];
        start += step;
    }
    result[thread()] = x;
}
