// Counts how many elements belong to each counter.
#include "bins.cuh"
#include "copied/ballot-block.cuh"
#include "copied/ballot.cuh"
#include "copied/global-plain.cuh"
#include "copied/global.cuh"
#include "copied/match.cuh"
#include "copied/shared.cuh"
#include "copied/shfl.cuh"
#include "shflbench.cuh"

// One atomic addition in global memory per element.
template <typename T>
__global__ void LAUNCH_BOUNDS count_global(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) shflbench::global::count(counts, counter_of(value, last));
    }
}

// The same to an address that the compiler can prove to be uniform: it merges the additions to one per warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_global_plain(const T* values, T* counts, int) {
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) shflbench::global_plain::count(counts);
    }
}

// One atomic addition in shared memory per element, then one in global memory per block and counter.
template <typename T>
__global__ void LAUNCH_BOUNDS count_shared(const T* values, T* counts, int last) {
    T* of_block = shared<T>();
    shflbench::shared::clear_counters(of_block, last + 1);
    for (const T value : Elements<T>(values)) {
        if (is_counted(value)) shflbench::shared::count(of_block, counter_of(value, last));
    }
    shflbench::shared::add_counters(counts, of_block, last + 1);
}

// The set bits of a ballot are the warp's elements that count. One atomic addition per warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_ballot(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += shflbench::ballot::warp_count(is_counted(value));
    shflbench::ballot::add_warp_count(counts, of_warp);
}

// ... or one per block, of the sum of its warps.
template <typename T>
__global__ void LAUNCH_BOUNDS count_ballot_block(const T* values, T* counts, int) {
    T of_warp = 0;
    for (const T value : Elements<T>(values)) of_warp += shflbench::ballot_block::warp_count(is_counted(value));
    shflbench::ballot_block::add_warp_count(counts, of_warp, shared<T>());
}

// Each lane counts its own elements, then five shuffles sum up the warp.
template <typename T>
__global__ void LAUNCH_BOUNDS count_shfl(const T* values, T* counts, int) {
    shflbench::shfl::add_lane_counts(counts, count_of_lane(values));
}

// Each lane gets which lanes have an element for the same counter; the lowest of these lanes adds for all.
template <typename T>
__global__ void LAUNCH_BOUNDS count_match(const T* values, T* counts, int last) {
    for (const T value : Elements<T>(values)) {
        shflbench::match::count(counts, is_counted(value) ? counter_of(value, last) : NONE);
    }
}
