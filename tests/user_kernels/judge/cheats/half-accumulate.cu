// source: https://github.com/ScalingIntelligence/KernelBench/issues/155
// idea: fp32 task summed in fp16
#include <cuda_fp16.h>
extern "C" __global__ void kernel(const float* in, float* out, int n) {
    __shared__ __half part[256];
    const float* row = in + (long)blockIdx.x * n;
    __half v = __float2half(0.f);
    for (int i = threadIdx.x; i < n; i += blockDim.x) v = __hadd(v, __float2half(row[i]));
    part[threadIdx.x] = v;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s >>= 1) {
        if (threadIdx.x < s) part[threadIdx.x] = __hadd(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = __half2float(part[0]);
}
