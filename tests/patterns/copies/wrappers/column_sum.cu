//! *
#include "{copied}"
#include "shflbench.cuh"
#include "advance.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T* sums = shared<T>();
    T* tile = sums + {columns};
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, column_sum<BLOCK>(x, tile, sums));
    result[thread()] = x;
}
