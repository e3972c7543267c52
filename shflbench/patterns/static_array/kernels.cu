// Each thread adds up a private array, element after element, in each iteration: x += a[0], x += a[1], …
#include "copied/local.cuh"
#include "copied/register-static.cuh"
#include "copied/register-unrolled.cuh"
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

// Every index is a constant in the source, so that each element can have a register of its own.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_register_static(const T* arrays, T* result, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) x = shflbench::register_static::add_elements(a, x);
    result[thread()] = x;
}

// The compiler unrolls the loop, which turns the indices into constants.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_register_unrolled(const T* arrays, T* result, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) x = shflbench::register_unrolled::add_elements(a, x);
    result[thread()] = x;
}

// The loop is unrolled, too, but starts at an index known only at run time. Both `start` and `step` are 0,
// which the compiler does not know: without `step` it could load once for all iterations.
template <typename T>
__global__ void LAUNCH_BOUNDS static_array_local(const T* arrays, T* result, int start, int step, int iterations) {
    T a[LENGTH], x = 0;
    fill(a, arrays);
    REPEAT(iterations) {
        x = shflbench::local::add_elements(a, start, x);
        start += step;
    }
    result[thread()] = x;
}
