// Prefix sums of what was loaded from shared memory, and of groups of lanes.
#pragma once
#include "loads.cuh"
#include "shflbench.cuh"

// The sum of those values whose number is below `count`.
template <bool CHAIN, typename T, int COUNT>
__device__ T sum_of_first(const T (&values)[COUNT], int count) {
    T kept[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; ++i) kept[i] = i < count ? values[i] : T(0);
    return sum_of<COUNT, CHAIN>(kept);
}
