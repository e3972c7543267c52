// clean
#include <stdio.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); exit(1); } } while (0)
__global__ void reverse(const int *in, int *out, int n) {
    __shared__ int s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = blockIdx.x * blockDim.x, count = min((int)blockDim.x, n - first);
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[n - first - count + threadIdx.x] = s[count - 1 - threadIdx.x];
}
int main() {
    int n = 1000;
    int *a, *b;
    CHECK(cudaMalloc(&a, n * sizeof(int)));
    CHECK(cudaMalloc(&b, n * sizeof(int)));
    CHECK(cudaMemset(a, 0, n * sizeof(int)));
    reverse<<<(n + 127) / 128, 128>>>(a, b, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
