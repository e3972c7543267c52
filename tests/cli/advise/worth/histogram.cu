#include <cuda_runtime.h>
__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
int main() {
    int n = 1 << 24;
    unsigned char* in;
    unsigned* bins;
    cudaMalloc(&in, n);
    cudaMalloc(&bins, 256 * sizeof(unsigned));
    cudaMemset(bins, 0, 256 * sizeof(unsigned));
    histogram<<<1024, 256>>>(in, bins, n);
}
