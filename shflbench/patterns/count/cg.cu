// Cooperative groups find the lanes that have an element for the same counter; the first lane adds for all.
#include "bins.cuh"
#include "copied/cg.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void LAUNCH_BOUNDS count_cg(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) {
        shflbench::cg::count(counts, is_counted(value) ? counter_of(value, last) : NONE);
    }
}
