#include <cuda_runtime.h>
#define T 16
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int j = 0; j < T; ++j) sum += as[y][j] * bs[j][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
int main() {
    int n = 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    matmul<<<dim3(n / T, n / T), dim3(T, T)>>>(a, b, c, n);
}
