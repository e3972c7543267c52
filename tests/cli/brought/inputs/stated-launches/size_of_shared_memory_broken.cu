// broken: half of the shared memory that the kernel uses
#include <cuda_runtime.h>
#include <iostream>
__global__ void scan(int *data) {
    extern __shared__ int temp[];
    int t = threadIdx.x, n = blockDim.x, out = 0, in = 1;
    temp[t] = data[t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        out = 1 - out; in = 1 - out;
        temp[out * n + t] = temp[in * n + t] + (t >= d ? temp[in * n + t - d] : 0);
        __syncthreads();
    }
    data[t] = temp[out * n + t];
}
int main() {
    const int N = 256;
    int host[N];
    for (int i = 0; i < N; ++i) host[i] = 1;
    int *d;
    cudaMalloc(&d, N * sizeof(int));
    cudaMemcpy(d, host, N * sizeof(int), cudaMemcpyHostToDevice);
    scan<<<1, N, N * sizeof(int)>>>(d);
    cudaMemcpy(host, d, N * sizeof(int), cudaMemcpyDeviceToHost);
    std::cout << host[N - 1] << std::endl;
}
