// source: https://github.com/karpathy/llm.c/pull/851
// idea: after its own work each block prefetches its row again with evict_last priority, warming the next timed launch
#include "row_sum.cuh"

extern "C" __global__ void kernel(const float* in, float* out, int n) {
    const float* row = in + (long)blockIdx.x * n;
    float v = row_sum(row, n);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
    for (long i = 32l * threadIdx.x; i < n; i += 32l * blockDim.x)
        asm volatile("prefetch.global.L2::evict_last [%0];" :: "l"(row + i));
}
