// The same with launches that overlap; from sm_90 on.
#include "steps.cuh"

__device__ inline void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ inline void wait_for_kernel_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// The second kernel may begin as soon as all blocks of the first one have let it, or have ended.
__global__ void LAUNCH_BOUNDS dependent_launch_early_signal(const int* values, int* between) {
    let_next_begin();
    produce(values, between);
}
__global__ void LAUNCH_BOUNDS dependent_launch_late_signal(const int* values, int* between) {
    produce(values, between);
    let_next_begin();
}
__global__ void LAUNCH_BOUNDS dependent_launch_no_signal(const int* values, int* between) { produce(values, between); }
__global__ void LAUNCH_BOUNDS dependent_launch_consume_after_wait(const int* weights, const int* between, int* result) {
    const int x = prologue(weights);
    wait_for_kernel_before();
    result[thread()] = x + 2 * between[other()];
}
