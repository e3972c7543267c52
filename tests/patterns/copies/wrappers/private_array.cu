//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;
constexpr int MATH = OPTION_MATH;

__device__ unsigned next_index(float element) { return __float_as_uint(element) % 256; }
__device__ unsigned next_index(double element) { return unsigned(__double2loint(element)) % 256; }

template <typename T>
__device__ T use(T x, T element, T one) {
    x += element;
#pragma unroll
    for (int i = 0; i < MATH; ++i) x = x * one + element;
    return x;
}

template <typename T>
__global__ void {kernel}(const T* arrays, const int* start, T* result, float one, int iterations) {
    const T* mine = arrays + (thread() - lane()) * LENGTH + lane();
    const PrivateArray a(mine, WARP);  //! local select select-bits
    const PrivateArray a(mine, shared<T>(), WARP);  //! smem
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x = use(x, element, T(one));
        index = next_index(element);
    }
    result[thread()] = x;
}
