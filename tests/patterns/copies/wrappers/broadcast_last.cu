//! *
#include "{copied}"
#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T* slots = shared<T>();
    int* lanes = reinterpret_cast<int*>(slots + blockDim.x);
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, last_where(x, holds(x)));  //! shfl ballot redux cg
    REPEAT(iterations) x = mix(x, last_where(x, holds(x), slots, lanes));  //! smem smem-syncwarp
    result[thread()] = x;
}
