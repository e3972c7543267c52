#include <cstdio>
#include <cuda_runtime.h>

__global__ void sums_smem(float* out, const float* in, int n) {
    __shared__ float part[256];
    int row = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[row * n + i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[row] = part[0];
}

__global__ void sums_shfl(float* out, const float* in, int n) {
    __shared__ float part[8];
    int row = blockIdx.x;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[row * n + i];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int warp = 0; warp < blockDim.x / 32; ++warp) sum += part[warp];
        out[row] = sum;
    }
}

int main() {
    const int rows = 64, n = 1024;
    float *in, *out;
    cudaMalloc(&in, rows * n * sizeof(float));
    cudaMalloc(&out, rows * sizeof(float));
    cudaMemset(in, 0, rows * n * sizeof(float));
    sums_smem<<<rows, 256>>>(out, in, n);
    sums_shfl<<<rows, 256>>>(out, in, n);
    cudaDeviceSynchronize();
    printf("done\n");
}
