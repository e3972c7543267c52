//! *
#include "{copied}"
#include "operation.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
    __shared__ WarpReduce::TempStorage storage[WARP];  //! cub
    T* slots = shared<T>();  //! smem smem-syncwarp
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, warp_{op}(contribution(x)));  //! shfl redux cg
    REPEAT(iterations) x = advance(x, warp_{op}(contribution(x), slots));  //! smem smem-syncwarp
    REPEAT(iterations) x = advance(x, warp_{op}(contribution(x), storage[threadIdx.x / WARP]));  //! cub
    result[thread()] = x;
}
