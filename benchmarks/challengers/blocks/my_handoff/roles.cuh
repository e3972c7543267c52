// The warps of a block in `handoff`: all but the last one produce, and the last one consumes what they produce.
#pragma once
#include "shflbench.cuh"

constexpr int PRODUCERS = BLOCK / WARP - 1;

__device__ inline bool is_producer() { return threadIdx.x / WARP < PRODUCERS; }

// The next value of a producing thread. The factor is odd, so that no difference is lost.
template <typename T>
__device__ T produce(T x) { return T(unsigned(x) * 0x9E3779B1u + 1); }

// The next state of a consuming thread: its own, then the values of its lane in all producers, in their order.
template <typename T>
__device__ T absorb(T state, const T (&got)[PRODUCERS]) {
#pragma unroll
    for (int i = 0; i < PRODUCERS; ++i) state = T(unsigned(state) * 0x9E3779B1u + unsigned(got[i]));
    return state;
}

// The timed loop of kernels in which each side waits for the other on its own: `put` puts a value into the row of a number,
// and `get` gets all values of the row.
template <typename T, typename Put, typename Get>
__device__ void produce_and_consume(const T* values, T* result, int iterations, Put put, Get get) {
    T x = values[thread()];
    if (is_producer()) {
        REPEAT(iterations) put(x = produce(x), iteration);
    } else {
        REPEAT(iterations) {
            T got[PRODUCERS];
            get(got, iteration);
            x = absorb(x, got);
        }
    }
    result[thread()] = x;
}
