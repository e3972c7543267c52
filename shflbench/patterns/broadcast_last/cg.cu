// Vote and shuffle by a tile of cooperative groups.
#include <cooperative_groups.h>

#include "last.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_last_cg(const T* values, T* result, int iterations) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    T x = values[thread()];
    REPEAT(iterations) {
        const int last = WARP - 1 - __clz(warp.ballot(holds(x)));  // 32 leading zeros if none is true: NONE
        x = mix(x, warp.shfl(x, source_lane(last)));
    }
    result[thread()] = x;
}
