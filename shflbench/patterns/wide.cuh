// Values in shared memory that a lane loads 16 bytes at a time, and their sums.
#pragma once
#include "shflbench.cuh"

// The values of one load.
template <typename T>
struct alignas(16) Wide {
    static constexpr int COUNT = 16 / sizeof(T);
    T values[COUNT];

    __device__ T sum() const {
        if constexpr (COUNT == 2) return add(values[0], values[1]);
        else return add(add(values[0], values[1]), add(values[2], values[3]));
    }
    // The sum of the first values, up to the one of the calling lane or below it.
    template <bool EXCLUSIVE>
    __device__ T prefix_sum() const {
        T sum = EXCLUSIVE ? T(0) : values[0];
#pragma unroll
        for (int i = 1; i < COUNT; ++i) {
            if (lane() % COUNT >= i) sum = add(sum, values[i - EXCLUSIVE]);
        }
        return sum;
    }
};

// Of a warp's values, the load with the calling lane's own one, or the load that is `i` behind it.
template <typename T>
__device__ Wide<T> wide_at(const T* slots, int i = 0) {
    return reinterpret_cast<const Wide<T>*>(slots)[lane() / Wide<T>::COUNT + i];
}

constexpr int GROUP = 8;  // adjacent lanes whose values each of them loads

// Of a group's values: the sum of all, and the sum up to the calling lane's own value or below it. `slots` has the values of
// the warp.
template <typename T, bool EXCLUSIVE>
struct GroupSums {
    T all, prefix;

    __device__ explicit GroupSums(const T* slots) {
        constexpr int LOADS = GROUP / Wide<T>::COUNT;
        const int mine = lane() / Wide<T>::COUNT % LOADS;
        const Wide<T> own = wide_at(slots);
        all = own.sum();
        prefix = own.template prefix_sum<EXCLUSIVE>();
#pragma unroll
        for (int i = 1; i < LOADS; ++i) {
            const int other = (mine + i) % LOADS;
            const T sum = wide_at(slots, other - mine).sum();
            all = add(all, sum);
            if (other < mine) prefix = add(prefix, sum);
        }
    }
};

// The prefix sum of a warp's values in shared memory: within groups by wide loads, between groups by shuffles that do not
// wait for one another.
template <bool EXCLUSIVE, typename T>
__device__ T prefix_sum_by_groups(const T* slots) {
    const GroupSums<T, EXCLUSIVE> group(slots);
    T sum = group.prefix;
#pragma unroll
    for (int distance = GROUP; distance < WARP; distance += GROUP) {
        const T below = __shfl_up_sync(FULL_WARP, group.all, distance);
        if (lane() >= distance) sum = add(sum, below);
    }
    return sum;
}

// The sum of a warp's values in shared memory, in all lanes, in the same way.
template <typename T>
__device__ T sum_by_groups(const T* slots) {
    const auto* group = reinterpret_cast<const Wide<T>*>(slots + lane() / GROUP * GROUP);
    T of_group = group[0].sum();
#pragma unroll
    for (int i = 1; i < GROUP / Wide<T>::COUNT; ++i) of_group = add(of_group, group[i].sum());
    T sums[WARP / GROUP];
#pragma unroll
    for (int i = 0; i < WARP / GROUP; ++i) {
        sums[i] = i == 0 ? of_group : __shfl_xor_sync(FULL_WARP, of_group, i * GROUP);
    }
    return add(add(sums[0], sums[1]), add(sums[2], sums[3]));
}
