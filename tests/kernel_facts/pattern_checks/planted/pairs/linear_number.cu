#include <cooperative_groups.h>

#include "shflbench.cuh"

// Right: the linear number of a thread is the same in blocks of every shape.
template <typename T>
__global__ void pairs_linear_number(const T* values, T* result, int iterations) {
    const int mine = blockIdx.x * blockDim.x + cooperative_groups::this_thread_block().thread_rank();
    T x = values[mine];
    REPEAT(iterations) x = add(__shfl_xor_sync(FULL_WARP, x, 1), T(1));
    result[mine] = x;
}
