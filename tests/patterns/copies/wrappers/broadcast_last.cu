//! *
#include "{copied}"
#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    T* slots = shared<T>();  //! smem smem-syncwarp ballot-smem
    T *now = slots, *next = slots + blockDim.x / WARP;  //! ballot-smem
    int* lanes = reinterpret_cast<int*>(slots + blockDim.x);  //! smem smem-syncwarp
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, last_where(x, holds(x)));  //! shfl ballot redux cg
    REPEAT(iterations) x = mix(x, last_where(x, holds(x), slots, lanes));  //! smem smem-syncwarp
    REPEAT(iterations) x = mix(x, last_where(x, holds(x), now, next));  //! ballot-smem
    result[thread()] = x;
}
