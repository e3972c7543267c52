// y = A x with x staged through shared memory in chunks of 256; one warp per row.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

namespace {
constexpr int CHUNK = 256;
constexpr int WARPS = 8;
void must(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    std::exit(1);
}
}
#define MUST(x) must((x), __LINE__)

__global__ void gemv(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y,
                     int rows, int cols)
{
    __shared__ float xs[CHUNK];
    __shared__ float red[WARPS][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tid = ty * 32 + tx;
    const int row = blockIdx.x * WARPS + ty;

    float acc = 0.f;
    for (int c0 = 0; c0 < cols; c0 += CHUNK) {
        xs[tid] = c0 + tid < cols ? x[c0 + tid] : 0.f;
        __syncthreads();
        if (row < rows) {
            const int m = min(CHUNK, cols - c0);
            for (int c = tx; c < m; c += 32)
                acc += A[(size_t)row * cols + c0 + c] * xs[c];
        }
        __syncthreads();
    }

    red[ty][tx] = acc;
    __syncthreads();
    for (int s = 16; s > 0; s >>= 1) {
        if (tx < s) red[ty][tx] += red[ty][tx + s];
        __syncthreads();
    }
    if (tx == 0 && row < rows) y[row] = red[ty][0];
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 200;
    unsigned lcg = argc > 2 ? (unsigned)std::atoi(argv[2]) : 9u;
    if (n < 1 || n > 10000) { std::fprintf(stderr, "n must be in 1..10000\n"); return 2; }
    auto next = [&] { lcg = lcg * 1103515245u + 12345u; return ((lcg >> 16) % 1000) / 500.f - 1.f; };
    std::vector<float> A((size_t)n * n), x(n), y(n);
    for (auto& v : A) v = next();
    for (auto& v : x) v = next();

    float *dA, *dx, *dy;
    MUST(cudaMalloc(&dA, A.size() * sizeof(float)));
    MUST(cudaMalloc(&dx, n * sizeof(float)));
    MUST(cudaMalloc(&dy, n * sizeof(float)));
    MUST(cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    gemv<<<(n + WARPS - 1) / WARPS, dim3(32, WARPS)>>>(dA, dx, dy, n, n);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int i = 0; i < n; ++i) {
        double r = 0;
        for (int j = 0; j < n; ++j) r += (double)A[(size_t)i * n + j] * x[j];
        if (!(std::fabs(r - y[i]) < 1e-2)) { std::printf("FAIL\n"); return 1; }
        sum += y[i];
    }
    std::printf("PASS %.3f\n", sum);
    return 0;
}
