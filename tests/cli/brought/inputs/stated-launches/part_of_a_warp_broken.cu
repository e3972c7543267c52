// broken: a full mask in a block of 24 threads
#include <cuda_runtime.h>
__global__ void total(const int *x, int *out) {
    int v = x[threadIdx.x];
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffff, v, o);
    if (threadIdx.x == 0) *out = v;
}
int main() {
    const int n = 24;
    int h[64] = {1, 2, 3}, *x, *out, result;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    total<<<1, n>>>(x, out);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    return result;
}
