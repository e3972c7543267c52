//! *
#include "{copied}"
#include "bins.cuh"
#include "shflbench.cuh"

template <typename T>
__global__ void {kernel}(const T* values, T* counts, int last) {
//! global
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) count(counts, counter_of(value, last));
    }
//! global-plain
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) count(counts);
    }
//! shared
    T* of_block = shared<T>();
    clear_counters(of_block, last + 1);
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) count(of_block, counter_of(value, last));
    }
    add_counters(counts, of_block, last + 1);
//! ballot
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += warp_count(is_counted(value));
    add_warp_count(counts, of_warp);
//! ballot-block
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += warp_count(is_counted(value));
    add_warp_count(counts, of_warp, shared<T>());
//! redux-block
    T of_lane = 0;
    for (const T value : Elements<T>(values)) of_lane += is_counted(value);
    add_lane_counts(counts, of_lane, shared<T>());
//! redux shfl
    T of_lane = 0;
    for (const T value : Elements<T>(values)) of_lane += is_counted(value);
    add_lane_counts(counts, of_lane);
//! match cg
    for (const T value : Elements<T>(values)) count(counts, is_counted(value) ? counter_of(value, last) : -1);
//! *
}
