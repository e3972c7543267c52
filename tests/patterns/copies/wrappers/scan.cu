//! *
#include "{copied}"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* result, int iterations) {
//! smem-wide
    T *slots = shared<T>(), *next = slots + 2 * blockDim.x;
    slots[2 * first_of_warp() + lane()] = next[2 * first_of_warp() + lane()] = 0;
//! smem smem-double smem-syncwarp smem8-shfl
    T *slots = shared<T>(), *next = slots + blockDim.x;
//! *
    __shared__ WarpScan::TempStorage storage[WARP];  //! cub
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, prefix_sum(x));  //! shfl shfl-predicate cg
    REPEAT(iterations) x = advance(x, prefix_sum(x, slots));  //! smem smem-syncwarp
    REPEAT(iterations) x = advance(x, prefix_sum(x, slots, next));  //! smem-double smem-wide smem8-shfl
    REPEAT(iterations) x = advance(x, prefix_sum(x, storage[threadIdx.x / WARP]));  //! cub
    result[thread()] = x;
}
