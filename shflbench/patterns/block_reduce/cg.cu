// The sum by cooperative groups: within tiles of a warp, then again over the warps' sums.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "recurrence.cuh"
#include "shflbench.cuh"

namespace cg = cooperative_groups;

template <typename T>
__global__ void LAUNCH_BOUNDS block_reduce_cg(const T* values, T* result, int iterations) {
    __shared__ T sums[WARPS];
    const auto block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<WARP>(block);
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = cg::reduce(tile, x, cg::plus<T>());
        if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
        block.sync();
        if (adds_sums()) {
            const T sum_of_lane = tile.thread_rank() < WARPS ? sums[tile.thread_rank()] : T(0);
            sum = cg::reduce(tile, sum_of_lane, cg::plus<T>());
        }
        block.sync();
        x = advance(x, sum);
    }
    result[thread()] = x;
}
