// The same with launches that overlap; from sm_90 on.
#include "copied/early-signal.cuh"
#include "copied/late-signal.cuh"
#include "copied/no-signal.cuh"
#include "shflbench.cuh"

// The second kernel may begin as soon as all blocks of the first one have let it, or have ended.
__global__ void LAUNCH_BOUNDS dependent_launch_early_signal(const int* values, int* between) {
    shflbench::early_signal::produce(values, between);
}
__global__ void LAUNCH_BOUNDS dependent_launch_late_signal(const int* values, int* between) {
    shflbench::late_signal::produce(values, between);
}
__global__ void LAUNCH_BOUNDS dependent_launch_no_signal(const int* values, int* between) {
    shflbench::no_signal::produce(values, between);
}
__global__ void LAUNCH_BOUNDS dependent_launch_consume_after_wait(const int* weights, const int* between, int* result) {
    shflbench::no_signal::consume(weights, between, result);  // the same in all three
}
