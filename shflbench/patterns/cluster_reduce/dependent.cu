// Two launches that overlap; from sm_90 on.
#include "sum.cuh"

// As in `two-launches`, except that the second launch may begin as soon as all blocks of the first one have: it waits for
// the end of the first one, and only its start is hidden.
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_two_launches_dependent(const T* values, T* partial) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    const T sum = block_sum<BLOCK / WARP>(values[thread()]);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
template <typename T>
__global__ void LAUNCH_BOUNDS cluster_reduce_second_after_wait(const T* partial, T* sums, int groups) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (thread() < groups) sums[thread()] = few(partial + thread() * BLOCKS);
}
