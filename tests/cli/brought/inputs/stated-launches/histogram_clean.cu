// clean
#include <cstdio>
#include <cstdlib>
#define BINS 64
__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[data[i] / 4], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&bins[b], local[b]);
}
int main() {
    int n = 10000;
    unsigned char *h = (unsigned char *)malloc(n), *d;
    for (int i = 0; i < n; i++) h[i] = rand() % 256;
    unsigned *bins;
    cudaMalloc(&d, n);
    cudaMalloc(&bins, BINS * sizeof(unsigned));
    cudaMemset(bins, 0, BINS * sizeof(unsigned));
    cudaMemcpy(d, h, n, cudaMemcpyHostToDevice);
    histogram<<<8, 256>>>(d, n, bins);
    cudaDeviceSynchronize();
}
