// The sum as cooperative groups compute it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "recurrence.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void reduce_cg(const T* values, T* result, int iterations) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    T x = values[thread()];
    REPEAT(iterations) x = advance(x, cg::reduce(warp, x, cg::plus<T>()));
    result[thread()] = x;
}
