// One lane reserves for the whole warp, written with cooperative groups.
#include <cooperative_groups.h>

#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS reserve_cg(T* next, T* slots) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    T first = 0;
    if (warp.thread_rank() == 0) first = atomicAdd(next, warp.num_threads());
    slots[thread()] = warp.shfl(first, 0) + warp.thread_rank();
}
