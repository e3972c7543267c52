//! *
#include "{copied}"
#include "shflbench.cuh"

template <typename T>
__device__ T next_value(T own, T got) {
    return got;  //! mode=idx
    return mix(own, got);  //! mode!=idx
}

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T *slots = shared<T>(), *next = slots + blockDim.x;
    T x = values[thread()];
    REPEAT(iterations) x = next_value(x, from_neighbor(x));  //! shfl
    REPEAT(iterations) x = next_value(x, from_neighbor(x, slots));  //! smem smem-syncwarp
    REPEAT(iterations) x = next_value(x, from_neighbor(x, slots, next));  //! smem-double
    result[thread()] = x;
}
