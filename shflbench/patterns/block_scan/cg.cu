// The sums by cooperative groups: within tiles of a warp; then each warp adds the sums of the lower warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "recurrence.cuh"
#include "shflbench.cuh"

namespace cg = cooperative_groups;

template <typename T>
__global__ void LAUNCH_BOUNDS block_scan_cg(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<WARP>(block);
    const int lane = tile.thread_rank(), warp = tile.meta_group_rank();
    T x = values[thread()];
    REPEAT(iterations) {
        const T sum = cg::inclusive_scan(tile, x);
        if (lane == WARP - 1) sums[warp] = sum;
        const T finished = finish_scan(x, sum, [=](T inclusive) {
            const T below = tile.shfl_up(inclusive, 1);
            return lane > 0 ? below : T(0);
        });
        block.sync();
        const T below = cg::reduce(tile, lane < warp ? sums[lane] : T(0), cg::plus<T>());
        block.sync();
        x = advance(x, add(below, finished));
    }
    result[thread()] = x;
}
