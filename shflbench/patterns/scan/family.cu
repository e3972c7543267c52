// The family of prefix sums: part of the values through shared memory, the rest by shuffles. Each member is one choice of the
// template's parameters.
#include "loads.cuh"
#include "prefix_sums.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Adds up sums of groups of LANES lanes: each lane has that of its whole group, and gets those of all lower ones. By steps that
// double their distance, or, APART, by shuffles that do not wait for one another.
template <int LANES, bool APART, typename T>
__device__ T sum_of_lower_groups(T of_group, T sum) {
#pragma unroll
    for (int distance = LANES; distance < WARP; distance = APART ? distance + LANES : 2 * distance) {
        const T below = shfl_up(of_group, distance);
        if (lane() >= distance) {
            sum = add(sum, below);
            if (!APART) of_group = add(of_group, below);
        }
    }
    return sum;
}

// The sums of a group's values, and of those up to the lane's own. BY_LOADS: only the values of the lane's own load are
// masked one by one; those of another load are added as a whole, or not. Each lane begins with its own load.
template <int LANES, int BITS, bool CHAIN, bool BY_LOADS, typename T>
__device__ void load_sums(const T* group, T& of_group, T& up_to_own) {
    constexpr int WIDTH = BY_LOADS ? BITS / 32 : LANES, LOADS = LANES / WIDTH;
    const int mine = lane() / WIDTH % LOADS;
    T of_loads[LOADS], below[LOADS];
#pragma unroll
    for (int i = 0; i < LOADS; ++i) {
        const int load = (mine + i) % LOADS;
        T values[WIDTH];
        load_all<BITS>(values, group + load * WIDTH);
        of_loads[i] = sum_of<WIDTH, CHAIN>(values);
        below[i] = load < mine ? of_loads[i] : T(0);
        if (i == 0) below[0] = sum_of_first<CHAIN>(values, lane() % WIDTH + 1);
    }
    of_group = sum_of<LOADS, CHAIN>(of_loads);
    up_to_own = sum_of<LOADS, CHAIN>(below);
}

// First, groups of adjacent lanes load one another's values; shuffles add the lower groups.
template <typename T, int LANES, int BITS, bool DOUBLE, bool CHAIN, bool BY_LOADS, bool APART>
__global__ void LAUNCH_BOUNDS scan_member(const T* values, T* result, int iterations) {
    T* slots = shared<T>() + first_of_warp() * (DOUBLE ? 2 : 1);
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T of_group = x, sum = x;
        if (LANES > 1) {
            T* const buffer = slots + offset;
            buffer[lane()] = x;
            __syncwarp();  // all lanes have written
            load_sums<LANES, BITS, CHAIN, BY_LOADS>(buffer + lane() / LANES * LANES, of_group, sum);
            if (DOUBLE) offset ^= WARP;
            if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
        }
        x = advance(x, sum_of_lower_groups<LANES, APART>(of_group, sum));
    }
    result[thread()] = x;
}

// First, shuffles within COUNT segments of the warp; then all lanes load the sums of the segments.
template <typename T, int COUNT, int BITS, bool DOUBLE, bool CHAIN>
__global__ void LAUNCH_BOUNDS scan_late_member(const T* values, T* result, int iterations) {
    constexpr int LANES = WARP / COUNT;
    T* slots = shared<T>() + first_of_warp() * (DOUBLE ? 2 : 1);
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
#pragma unroll
        for (int distance = 1; distance < LANES; distance *= 2) {
            const T below = shfl_up(sum, distance);
            if (lane() % LANES >= distance) sum = add(sum, below);
        }
        T* const buffer = slots + offset;
        if (lane() % LANES == LANES - 1) buffer[lane() / LANES] = sum;
        __syncwarp();  // the last lane of each segment has written
        T of_segments[COUNT];
        load_all<BITS>(of_segments, buffer);
        if (DOUBLE) offset ^= WARP;
        if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
        x = advance(x, add(sum, sum_of_first<CHAIN>(of_segments, lane() / LANES)));
    }
    result[thread()] = x;
}
