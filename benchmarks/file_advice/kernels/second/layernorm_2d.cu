// Layer norm over short rows: blockDim.x lanes share one row, blockDim.y rows per block.
// blockDim.x is the row length rounded up to a power of two.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

constexpr int THREADS = 256;
#define GPU(x) if ((x) != cudaSuccess) { std::fprintf(stderr, "gpu failure, line %d\n", __LINE__); std::exit(1); }

__global__ void layer_norm(const float* x, const float* gamma, float* y, int rows, int cols)
{
    __shared__ float buf[THREADS];
    __shared__ float scale[THREADS];
    const int tx = threadIdx.x, bx = blockDim.x;
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    float* mine = buf + threadIdx.y * bx;
    float* sc = scale + threadIdx.y * bx;
    const bool live = row < rows && tx < cols;

    sc[tx] = tx < cols ? gamma[tx] : 0.f;
    __syncthreads();                         // gamma is in place

    const float v = live ? x[(size_t)row * cols + tx] : 0.f;
    mine[tx] = v;
    __syncthreads();
    for (int h = bx / 2; h > 0; h /= 2) {
        if (tx < h) mine[tx] += mine[tx + h];
        __syncthreads();
    }
    const float mean = mine[0] / cols;
    __syncthreads();

    const float d = live ? v - mean : 0.f;
    mine[tx] = d * d;
    __syncthreads();
    for (int h = bx / 2; h > 0; h /= 2) {
        if (tx < h) mine[tx] += mine[tx + h];
        __syncthreads();
    }
    const float rstd = rsqrtf(mine[0] / cols + 1e-5f);
    __syncthreads();
    if (live) y[(size_t)row * cols + tx] = d * rstd * sc[tx];
}

int main(int argc, char** argv)
{
    int cols = argc > 1 ? std::atoi(argv[1]) : 32;
    int seed = argc > 2 ? std::atoi(argv[2]) : 5;
    if (cols < 1 || cols > THREADS) { std::fprintf(stderr, "row length must be 1..%d\n", THREADS); return 2; }
    const int rows = 77;
    int bx = 2;
    while (bx < cols) bx *= 2;
    dim3 blk(bx, THREADS / bx);

    std::mt19937 rng(seed);
    std::normal_distribution<float> normal(0.3f, 1.5f);
    std::vector<float> hx(rows * cols), hg(cols), hy(rows * cols);
    for (auto& f : hx) f = normal(rng);
    for (auto& f : hg) f = normal(rng);
    float *x, *g, *y;
    GPU(cudaMalloc(&x, hx.size() * 4)); GPU(cudaMalloc(&g, hg.size() * 4)); GPU(cudaMalloc(&y, hy.size() * 4));
    GPU(cudaMemcpy(x, hx.data(), hx.size() * 4, cudaMemcpyHostToDevice));
    GPU(cudaMemcpy(g, hg.data(), hg.size() * 4, cudaMemcpyHostToDevice));
    layer_norm<<<(rows + blk.y - 1) / blk.y, blk>>>(x, g, y, rows, cols);
    GPU(cudaGetLastError());
    GPU(cudaMemcpy(hy.data(), y, hy.size() * 4, cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int r = 0; r < rows; ++r) {
        double m = 0, q = 0;
        for (int c = 0; c < cols; ++c) m += hx[r * cols + c];
        m /= cols;
        for (int c = 0; c < cols; ++c) q += (hx[r * cols + c] - m) * (hx[r * cols + c] - m);
        double rs = 1.0 / std::sqrt(q / cols + 1e-5);
        for (int c = 0; c < cols; ++c) {
            double want = (hx[r * cols + c] - m) * rs * hg[c];
            if (!(std::fabs(want - hy[r * cols + c]) < 2e-3)) { std::printf("FAIL\n"); return 1; }
            sum += std::fabs(hy[r * cols + c]);
        }
    }
    std::printf("PASS %.3f\n", sum);
    return 0;
}
