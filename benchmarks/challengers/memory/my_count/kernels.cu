// Counts how many elements belong to each counter.
#include "bins.cuh"
#include "copied/ballot-block.cuh"
#include "copied/global.cuh"
#include "shflbench.cuh"

// One atomic addition in global memory per element.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_global(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) shflbench::global::count(counts, counter_of(value, last));
    }
}




// ... or one per block, of the sum of its warps.
template <typename T>
__global__ void LAUNCH_BOUNDS my_count_ballot_block(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += shflbench::ballot_block::warp_count(is_counted(value));
    shflbench::ballot_block::add_warp_count(counts, of_warp, shared<T>());
}


