//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

__device__ unsigned low_bits(float element) { return __float_as_uint(element); }
__device__ unsigned low_bits(double element) { return unsigned(__double2loint(element)); }

template <typename T>
__global__ void {kernel}(const T* arrays, const int* start, T* result, int iterations) {
    const T* array = arrays + thread() / WARP * LENGTH;
    const WarpArray a(array);  //! shfl local
    const WarpArray a(array, shared<T>());  //! smem
    const WarpArray a(arrays, thread() / WARP * LENGTH);  //! global
    T x = 0;
    unsigned index = start[thread()];
    REPEAT(iterations) {
        const T element = a[index];
        x += element;
        index = low_bits(element);  //! shfl
        index = low_bits(element) % LENGTH;  //! smem local global
    }
    result[thread()] = x;
}
