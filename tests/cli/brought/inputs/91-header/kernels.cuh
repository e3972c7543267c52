// Broken: the barrier in the loop is missing; only another file launches the kernel.
#pragma once
#include <torch/extension.h>
template <typename T, int BLOCK>
__global__ void block_max(const T *in, T *out, int n) {
    __shared__ T s[BLOCK];
    int t = threadIdx.x;
    T m = in[0];
    for (int i = t; i < n; i += BLOCK) m = in[i] > m ? in[i] : m;
    s[t] = m;
    __syncthreads();
    for (int k = BLOCK / 2; k > 0; k /= 2) {
        if (t < k) s[t] = s[t] > s[t + k] ? s[t] : s[t + k];

    }
    if (t == 0) *out = s[0];
}
