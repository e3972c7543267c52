// Vote and shuffle by a tile of cooperative groups.
#include "copied/cg.cuh"
#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_cg(const T* values, T* result, int iterations) {
    const Holds holds;
    T x = values[thread()];
    REPEAT(iterations) x = mix(x, shflbench::cg::last_where(x, holds(x)));
    result[thread()] = x;
}
