// The sum of adjacent slots of shared memory, which a lane loads 16 bytes at a time.
#pragma once
#include "shflbench.cuh"

template <typename T>
constexpr int WIDE = 16 / sizeof(T);  // values of a load

// COUNT values, added by a tree, so that additions do not wait for one another.
template <int COUNT, typename T>
__device__ T sum_of(const T* slots) {
    if constexpr (COUNT > WIDE<T>) {
        return add(sum_of<COUNT / 2>(slots), sum_of<COUNT / 2>(slots + COUNT / 2));
    } else {
        const uint4 wide = *reinterpret_cast<const uint4*>(slots);
        T sums[COUNT];
        memcpy(sums, &wide, sizeof sums);
#pragma unroll
        for (int half = COUNT / 2; half > 0; half /= 2) {
#pragma unroll
            for (int i = 0; i < half; ++i) sums[i] = add(sums[i], sums[i + half]);
        }
        return sums[0];
    }
}
