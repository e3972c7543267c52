#include <cuda_runtime.h>
__global__ void ended(const float* in, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    if (i >= n) return;
    s[t] = in[i];
    __syncthreads();
    float x = s[t ^ 1];
    x += __shfl_xor_sync(0xffffffff, x, 2);
    out[i] = x;
}
int main() {
    int n = 1000;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    ended<<<4, 256>>>(in, out, n);
}
