//! *
#include "{copied}"
#include "layout.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T* rows = shared<T>() + threadIdx.x / WARP * WARP * REGISTERS;  //! smem smem-wide
    Registers<T> own(values);
    REPEAT(iterations) {
        convert(own.x, rows);  //! smem smem-wide
        convert(own.x);  //! shfl-bits shfl-rounds
        own.advance();
    }
    own.store(result);
}
