// The family of sums: part of a group's values through shared memory, the rest by shuffles. Each member is one choice of the
// template's parameters.
#include "loads.cuh"
#include "recurrence.cuh"
#include "shflbench.cuh"

// Each lane gets the sum of the LANES adjacent lanes that it is one of: it loads BITS at a time from `slots`, which has the
// values of these lanes.
template <int LANES, int BITS, bool CHAIN, typename T>
__device__ T sum_of_loads(const T* slots) {
    T values[LANES];
    load_all<BITS>(values, slots);
    return sum_of<LANES, CHAIN>(values);
}

// Each lane gets the sum over the lanes of its group of WIDTH whose numbers differ by multiples of FROM: by a butterfly, or,
// APART, from shuffles that do not wait for one another.
template <int FROM, bool APART, typename T>
__device__ T sum_of_shuffles(T x) {
    constexpr int COUNT = WIDTH / FROM;
    if (APART) {
        T values[COUNT] = {x};
#pragma unroll
        for (int i = 1; i < COUNT; ++i) values[i] = shfl_xor(x, i * FROM);
        return sum_of<COUNT, false>(values);
    }
#pragma unroll
    for (int distance = FROM; distance < WIDTH; distance *= 2) x = add(x, shfl_xor(x, distance));
    return x;
}

// Two buffers of a warp lie side by side, and serve in turn: one barrier per exchange.
template <typename T, int MOST_LANES, int BITS, bool DOUBLE, bool CHAIN, bool APART, bool LATE>
__global__ void LAUNCH_BOUNDS reduce_member(const T* values, T* result, int iterations) {
    constexpr int LANES = MOST_LANES < WIDTH ? MOST_LANES : WIDTH;
    T* slots = shared<T>() + first_of_warp() * (DOUBLE ? 2 : 1);
    int offset = 0;
    T x = values[thread()];
    REPEAT(iterations) {
        T sum = x;
        if (LATE) sum = sum_of_shuffles<LANES, APART>(sum);
        if (LANES > 1) {
            T* const buffer = slots + offset;
            buffer[lane()] = sum;
            __syncwarp();  // all lanes have written
            sum = sum_of_loads<LANES, BITS, CHAIN>(buffer + lane() / LANES * LANES);
            if (DOUBLE) offset ^= WARP;
            if (!DOUBLE) __syncwarp();  // all lanes have read: the slots may be written again
        }
        if (!LATE) sum = sum_of_shuffles<LANES, APART>(sum);
        x = advance(x, sum);
    }
    result[thread()] = x;
}
