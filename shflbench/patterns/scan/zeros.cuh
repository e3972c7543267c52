// The values of a warp in shared memory above zeros, so that sums of values below a lane's own need no conditions.
#pragma once
#include "recurrence.cuh"
#include "shflbench.cuh"
#include "wide.cuh"

// The slots of a warp in the first or second buffer, with as many zeros below them. All lanes of the warp must call it.
template <typename T>
__device__ T* slots_above_zeros(int buffer) {
    T* slots = shared<T>() + 2 * (buffer * blockDim.x + first_of_warp());
    slots[lane()] = 0;
    return slots + WARP;
}

// The sum of the values up to the lane's own or below it; all values below the slots are zero.
template <typename T>
__device__ T prefix_sum(const T* slots) {
    T sums[2] = {wide_at(slots).template prefix_sum<EXCLUSIVE>(), 0};
#pragma unroll
    for (int i = 1; i < WARP / Wide<T>::COUNT; ++i) sums[i % 2] = add(sums[i % 2], wide_at(slots, -i).sum());
    return add(sums[0], sums[1]);
}
