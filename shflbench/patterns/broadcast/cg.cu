// The broadcast by a tile of cooperative groups.
#include <cooperative_groups.h>

#include "broadcast.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS broadcast_cg(const T* numbers, const int* sources, T* result, int iterations) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    int source = first_source(sources);
    T x[VALUES];
    load(x, numbers);
    REPEAT(iterations) {
        for (int k = 0; k < VALUES; ++k) x[k] = mix(x[k], warp.shfl(x[k], source));
        source = next_source(source);
    }
    store(result, x);
}
