//! *
#include "{copied}"
#include "bins.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) count(counts, is_counted(value) ? counter_of(value, last) : NONE);
}
