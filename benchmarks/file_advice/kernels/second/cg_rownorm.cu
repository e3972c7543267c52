// L2-normalize rows of 16 features, with a per-feature weight. A 16-thread cooperative-groups tile per row.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

namespace cg = cooperative_groups;
constexpr int F = 16, BLOCK = 128, RPB = BLOCK / F, GRID = 4;

__global__ void row_norm(const float* x, const float* weight, float* y, int rows)
{
    __shared__ float w[F];
    __shared__ float sq[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<F>(block);
    const int lane = tile.thread_rank();
    float* mine = sq + tile.meta_group_rank() * F;

    if (block.thread_rank() < F) w[lane] = weight[lane];
    block.sync();
    const float wl = w[lane];

    for (int base = blockIdx.x * RPB; base < rows; base += gridDim.x * RPB) {
        const int row = base + tile.meta_group_rank();
        const float v = row < rows ? x[row * F + lane] : 0.f;
        mine[lane] = v * v;
        block.sync();
        for (int h = F / 2; h > 0; h /= 2) {
            if (lane < h) mine[lane] += mine[lane + h];
            tile.sync();
        }
        const float inv = rsqrtf(mine[0] + 1e-12f);
        if (row < rows) y[row * F + lane] = v * inv * wl;
        block.sync();               // mine[] is reused
    }
    block.sync();
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 30;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 8;
    if (rows < 1 || rows > 5000000) { std::fprintf(stderr, "rows: 1..5000000\n"); return 2; }
    std::mt19937 gen(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x((size_t)rows * F), w(F), y(x.size());
    for (auto& v : x) v = normal(gen);
    for (auto& v : w) v = normal(gen);

    float *dx, *dw, *dy;
    bool ok = cudaMalloc(&dx, x.size() * 4) == cudaSuccess && cudaMalloc(&dw, F * 4) == cudaSuccess &&
              cudaMalloc(&dy, x.size() * 4) == cudaSuccess;
    ok = ok && cudaMemcpy(dx, x.data(), x.size() * 4, cudaMemcpyHostToDevice) == cudaSuccess;
    ok = ok && cudaMemcpy(dw, w.data(), F * 4, cudaMemcpyHostToDevice) == cudaSuccess;
    if (ok) {
        row_norm<<<GRID, BLOCK>>>(dx, dw, dy, rows);
        ok = cudaMemcpy(y.data(), dy, x.size() * 4, cudaMemcpyDeviceToHost) == cudaSuccess;
    }
    double sum = 0;
    for (int r = 0; ok && r < rows; ++r) {
        double s = 0;
        for (int f = 0; f < F; ++f) s += (double)x[(size_t)r * F + f] * x[(size_t)r * F + f];
        for (int f = 0; f < F; ++f) {
            double want = x[(size_t)r * F + f] / std::sqrt(s + 1e-12) * w[f];
            ok = ok && std::fabs(want - y[(size_t)r * F + f]) < 1e-4;
            sum += y[(size_t)r * F + f];
        }
    }
    if (!ok) { std::printf("FAIL\n"); return 1; }
    std::printf("PASS %.4f\n", sum);
    return 0;
}
