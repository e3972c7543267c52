// The work of the two kernels in `dependent-launch`.
#pragma once
#include "shflbench.cuh"

constexpr int WORK = OPTION_WORK, PROLOGUE = OPTION_PROLOGUE;  // steps of the first kernel, and of the second one before it waits

// Steps that depend on one another; the factor is odd, so that no difference is lost.
template <int STEPS>
__device__ int steps(int x) {
#pragma unroll 8
    for (int i = 0; i < STEPS; ++i) x = int(unsigned(x) * 0x9E3779B1u + 1);
    return x;
}

// The thread of the block whose result a thread needs: that at the other end.
__device__ inline int other() { return blockIdx.x * BLOCK + (BLOCK - 1 - threadIdx.x); }

__device__ inline void produce(const int* values, int* between) { between[thread()] = steps<WORK>(values[thread()]); }
__device__ inline int prologue(const int* weights) { return steps<PROLOGUE>(weights[thread()]); }
