// The warps of a block in `handoff`: all but the last one produce, and the last one consumes what they produce.
#pragma once
#include "shflbench.cuh"

constexpr int PRODUCERS = BLOCK / WARP - 1;
constexpr int STAGES = OPTION_STAGES;  // rows of values that producers may be ahead of the consumer

__device__ inline int warp() { return threadIdx.x / WARP; }
__device__ inline bool is_producer() { return warp() < PRODUCERS; }

// Iteration `number` uses stage number % STAGES for the (number / STAGES)-th time.
__device__ inline int stage_of(int number) { return number % STAGES; }
__device__ inline unsigned parity_of(int number) { return number / STAGES % 2; }

// One value per producing thread and stage.
template <typename T>
struct Stages {
    T value[STAGES][PRODUCERS][WARP];

    __device__ void put(int stage, T x) { value[stage][warp()][lane()] = x; }

    // The next state of a consuming thread: its own, then the values of its lane in all producers, in their order.
    __device__ T absorb(T state, int stage) const {
        T got[PRODUCERS];
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) got[i] = value[stage][i][lane()];
#pragma unroll
        for (int i = 0; i < PRODUCERS; ++i) state = T(unsigned(state) * 0x9E3779B1u + unsigned(got[i]));
        return state;
    }
};

// The next value of a producing thread. The factor is odd, so that no difference is lost.
template <typename T>
__device__ T produce(T x) { return T(unsigned(x) * 0x9E3779B1u + 1); }
