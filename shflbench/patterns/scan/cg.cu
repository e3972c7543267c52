// The sums by cooperative groups.
#include "copied/cg.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS scan_cg(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, shflbench::cg::prefix_sum(x));
    result[thread()] = x;
}
