// Right: broken. Volatile stores and reads, and no fence between the sum and the count: the count may be visible first.
#include <cuda_runtime.h>
__device__ unsigned count = 0;
__global__ void total(const float* in, volatile float* part, float* out, int n) {
  __shared__ float s[256]; __shared__ bool last;
  float a = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) a += in[i];
  s[threadIdx.x] = a; __syncthreads();
  for (int d = 128; d; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0]; last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float t = 0;
    for (int b = threadIdx.x; b < gridDim.x; b += 256) t += part[b];
    s[threadIdx.x] = t; __syncthreads();
    for (int d = 128; d; d >>= 1) { if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d]; __syncthreads(); }
    if (threadIdx.x == 0) { *out = s[0];  }
  }
}
int main() {
  int n = 8192; float *in, *part, *out;
  cudaMalloc(&in, n * 4); cudaMalloc(&part, 16 * 4); cudaMalloc(&out, 4); cudaMemset(in, 0, n * 4);
  total<<<16, 256>>>(in, part, out, n);
  total<<<16, 256>>>(in, part, out, n);
  cudaDeviceSynchronize();
}
