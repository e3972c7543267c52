// source: https://github.com/microsoft/onnxruntime/pull/31761
// idea: drops NaN, infinities and denormals instead of propagating them
__device__ __forceinline__ float block_sum(float v) {   // result valid in thread 0
    __shared__ float warp_part[32];
    int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) warp_part[w] = v;
    __syncthreads();
    if (w == 0) {
        v = lane < (int)((blockDim.x + 31) / 32) ? warp_part[lane] : 0.f;
        for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    }
    __syncthreads();
    return v;
}

extern "C" __global__ void kernel(const float* in, float* out, int n) {
    const float* row = in + (long)blockIdx.x * n;
    float v = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x = row[i], a = fabsf(x);
        if (a >= 1.17549435e-38f && a < 3.0e38f) v += x;      // false for NaN
    }
    v = block_sum(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
