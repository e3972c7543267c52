// Right: clean. Thread 0 alone uses the sum, though the compiler lets all threads load it.
#include <cuda_runtime.h>

__global__ void sums_of_rows(const float *rows, float *sums) {
    __shared__ float part[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int row = 0; row < 4; row++) {
        part[t] = rows[(blockIdx.x * 4 + row) * 64 + t];
        __syncthreads();
        for (int width = 32; width > 0; width /= 2) {
            if (t < width) part[t] += part[t + width];
            __syncthreads();
        }
        if (t == 0) sum += part[0];
    }
    if (t == 0) sums[blockIdx.x] = sum;
}

int main() {
    float *rows, *sums;
    cudaMalloc(&rows, 2 * 4 * 64 * sizeof(float));
    cudaMalloc(&sums, 2 * sizeof(float));
    sums_of_rows<<<2, 64>>>(rows, sums);
    cudaDeviceSynchronize();
}
