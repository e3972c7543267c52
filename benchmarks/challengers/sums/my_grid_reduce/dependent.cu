// Two launches that overlap; from sm_90 on.
#include "copied/two-launches-dependent.cuh"
#include "shflbench.cuh"

// As in `two-launches`, except that the second launch may begin as soon as all blocks of the first one have: it waits
// for the end of the first one, and only its start is hidden.
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_two_launches_dependent(const T* values, T* partial) {
    shflbench::two_launches_dependent::sum_blocks<BLOCK>(values, partial);
}
template <typename T>
__global__ void LAUNCH_BOUNDS my_grid_reduce_second_after_wait(const T* partial, T* sums) {
    shflbench::two_launches_dependent::sum_partial(partial, sums);
}
