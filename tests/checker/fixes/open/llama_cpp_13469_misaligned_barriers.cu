// broken: RAW a barrier that only part of the warps executes lets the other ones pass the next barrier too early
// fixed: clean
// launch: 2x64
// source: https://github.com/ggml-org/llama.cpp/pull/13469 (after 13438; its form since 27870), MIT
// Written anew after the threads: no code of them.
// A barrier against a race was added in a branch that not all warps take, so that their barriers do not match.
// The fix: all warps execute it.
// Left out: attention; maxima and sums of a column are one number here.
__global__ void combine(const float *in, float *out) {
    __shared__ float meta[64];
    int t = threadIdx.x, warp = t / 32, i = blockIdx.x * 64 + t;
    meta[t] = in[i];
    __syncthreads();
    float combined = 0;
    if (warp % 2 == 0) {
        combined = fmaxf(meta[t], meta[t + 32]);
#ifndef FIXED
        __syncthreads();
#endif
    }
#ifdef FIXED
    __syncthreads();
#endif
    if (warp % 2 == 0) meta[t] = combined;  // earlier
    __syncthreads();
    out[i] = meta[t % 32];  // later
}
