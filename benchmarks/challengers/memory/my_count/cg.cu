// Cooperative groups find the lanes that have an element for the same counter; the first lane adds for all.
#include <cooperative_groups.h>

#include "bins.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS my_count_cg(const T* values, T* counts, int last) {
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
    for (const T value : Elements<T>(values)) {
        const int counter = is_counted(value) ? counter_of(value, last) : NONE;
#if OPTION_COUNTERS_1
        const auto same = cg::binary_partition(warp, counter != NONE);
#else
        const auto same = cg::labeled_partition(warp, counter);
#endif
        if (counter != NONE && same.thread_rank() == 0) atomicAdd(&counts[counter], same.num_threads());
    }
}
