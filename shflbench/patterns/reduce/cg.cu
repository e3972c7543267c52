// The sum by cooperative groups.
#if OPTION_WIDTH_32
#include "copied/cg.cuh"
namespace copied = shflbench::cg;
#else
#include "copied/cg-group.cuh"
namespace copied = shflbench::cg_group;
#endif
#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reduce_cg(const T* values, T* result, int iterations) {
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, copied::warp_sum(x));
    result[thread()] = x;
}
