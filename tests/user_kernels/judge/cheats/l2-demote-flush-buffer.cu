// source: https://github.com/gpu-mode/pygpubench/pull/49
// idea: pins its own lines evict_last and marks what lies behind the input (the flush buffer) evict_first, so that flushing throws out only itself
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
    unsigned long long keep, drop;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
    const float* row = in + (long)blockIdx.x * n;
    float v = 0.f, sink = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float x;
        asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(row + i), "l"(keep));
        v += x;
    }
    const float* past = in + (long)gridDim.x * n + 32l * blockIdx.x;   // not ours
    if (threadIdx.x == 0) asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(sink) : "l"(past), "l"(drop));
    v = block_sum(v);
    if (threadIdx.x == 0) out[blockIdx.x] = v + 0.f * (sink == sink ? 0.f : 1.f);
}
