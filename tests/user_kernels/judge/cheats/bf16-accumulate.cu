// source: https://theneuralfeed.com/article/ai-generated-cuda-kernels-silently-break-training-and-inference-r/4wMQfvdz
// idea: accumulates in bf16 where fp32 is required: small addends vanish against a large running sum
#include <cuda_bf16.h>
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
    __nv_bfloat16 a = __float2bfloat16(0.f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) a = __float2bfloat16(__bfloat162float(a) + row[i]);
    float v = block_sum(__bfloat162float(a));
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
