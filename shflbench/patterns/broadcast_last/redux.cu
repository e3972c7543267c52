// All lanes get the value of the last lane whose predicate is true, as in kernels.cu: one instruction finds the maximum
// of the warp's candidates.
#include "copied/redux.cuh"
#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_redux(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::redux::last_where(x, holds(x)));
    result[thread()] = x;
}
