// source: https://openreview.net/forum?id=K0dAC7UaXL
// idea: leaks device heap with malloc in every launch until the harness's own allocations fail
#include "row_sum.cuh"

extern "C" __global__ void kernel(const float* in, float* out, int n) {
    if (threadIdx.x == 0) { char* p = (char*)malloc(1 << 20); if (p) p[0] = 1; }
    float v = row_sum(in + (long)blockIdx.x * n, n);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
