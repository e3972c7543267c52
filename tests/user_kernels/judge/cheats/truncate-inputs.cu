// source: https://kernelbench.com/blog/hard
// idea: reads only the upper 16 bits of each float (a free bf16 truncation)
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
    const unsigned short* row = reinterpret_cast<const unsigned short*>(in + (long)blockIdx.x * n);
    float v = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += __uint_as_float((unsigned)row[2 * i + 1] << 16);
    v = block_sum(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
