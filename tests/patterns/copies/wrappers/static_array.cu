//! *
#include "{copied}"
#include "shflbench.cuh"

constexpr int LENGTH = OPTION_LENGTH;

template <typename T>
__global__ void {kernel}(const T* arrays, T* result, int start, int step, int iterations) {  //! local
__global__ void {kernel}(const T* arrays, T* result, int iterations) {  //! register-static register-unrolled
    T a[LENGTH], x = 0;
#pragma unroll
    for (int i = 0; i < LENGTH; ++i) a[i] = arrays[(thread() - lane()) * LENGTH + i * WARP + lane()];
    REPEAT(iterations) {
        x = add_elements(a, x);  //! register-static register-unrolled
        x = add_elements(a, start, x);  //! local
        start += step;  //! local
    }
    result[thread()] = x;
}
