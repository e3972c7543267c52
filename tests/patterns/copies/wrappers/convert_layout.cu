//! *
#include "{copied}"
#include "layout.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    auto* rows = shared<typename Registers<T>::Word>() + threadIdx.x / WARP * WARP * WORDS<T>;  //! smem smem-wide smem-stmatrix
    Registers<T> own(values);
    REPEAT(iterations) {
        convert(own.x, rows);  //! smem smem-wide smem-stmatrix
        convert(own.x);  //! shfl-bits shfl-rounds
        own.advance();
    }
    own.store(result);
}
