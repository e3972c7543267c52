// y = A^T x for a tall row-major A (n x 100): a block covers 32 columns, threadIdx.y strides the rows.
// The number of thread rows follows the height of the matrix.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <vector>

#define COLS 100
#define MAXY 8

#define cudaCheck(x) { cudaError_t e = (x); if (e != cudaSuccess) { \
    fprintf(stderr, "CUDA: %s (%d)\n", cudaGetErrorString(e), __LINE__); exit(1); } }

__global__ void gemv_t(const float *A, const float *x, float *y, int n)
{
    __shared__ float part[MAXY][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int ty = threadIdx.y;

    float s = 0.0f;
    if (col < COLS)
        for (int r = ty; r < n; r += blockDim.y)
            s += A[(size_t)r * COLS + col] * x[r];
    part[ty][threadIdx.x] = s;
    __syncthreads();

    for (int h = blockDim.y / 2; h > 0; h /= 2) {
        if (ty < h)
            part[ty][threadIdx.x] += part[ty + h][threadIdx.x];
        __syncthreads();
    }
    __syncthreads();

    if (ty == 0 && col < COLS)
        y[col] = part[0][threadIdx.x];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60;
    int seed = argc > 2 ? atoi(argv[2]) : 4;
    if (n <= 0 || n > 1000000) {
        fprintf(stderr, "rows: 1..1000000\n");
        return 2;
    }
    srand(seed);
    std::vector<float> A((size_t)n * COLS), x(n), y(COLS);
    for (size_t i = 0; i < A.size(); i++) A[i] = (rand() % 512) / 256.0f - 1.0f;
    for (int i = 0; i < n; i++) x[i] = (rand() % 512) / 256.0f - 1.0f;

    float *dA, *dx, *dy;
    cudaCheck(cudaMalloc(&dA, A.size() * sizeof(float)));
    cudaCheck(cudaMalloc(&dx, n * sizeof(float)));
    cudaCheck(cudaMalloc(&dy, COLS * sizeof(float)));
    cudaCheck(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    int by = 1;
    while (by < MAXY && by * 64 < n) by *= 2;      /* 64 rows per thread are enough work */
    gemv_t<<<(COLS + 31) / 32, dim3(32, by)>>>(dA, dx, dy, n);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(y.data(), dy, COLS * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int c = 0; c < COLS; c++) {
        double r = 0, mag = 0;
        for (int i = 0; i < n; i++) {
            double p = (double)A[(size_t)i * COLS + c] * x[i];
            r += p;
            mag += fabs(p);
        }
        if (!(fabs(r - y[c]) <= 1e-5 * mag + 1e-4)) { printf("FAIL\n"); return 1; }
        sum += y[c];
    }
    printf("PASS %.3f\n", sum);
    return 0;
}
