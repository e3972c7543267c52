// int8 quantization of rows by their absolute maximum. A block of 128 threads is two independent teams
// of 64; each team has its own hardware barrier, since the teams may make different numbers of iterations.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

constexpr int TEAM = 64;
constexpr int COLS = 200;
constexpr int GRID = 4;

__device__ __forceinline__ void bar_sync(int id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(TEAM) : "memory"); }

__global__ void quantize(const float* x, signed char* q, float* scale, int rows)
{
    __shared__ float smem[2 * TEAM];
    const int team = threadIdx.x / TEAM;
    const int u = threadIdx.x % TEAM;
    float* buf = smem + team * TEAM;

    for (int row = blockIdx.x * 2 + team; row < rows; row += gridDim.x * 2) {
        float m = 0.f;
        for (int c = u; c < COLS; c += TEAM) m = fmaxf(m, fabsf(x[row * COLS + c]));
        buf[u] = m;
        bar_sync(1 + team);
        if (u < 32) buf[u] = fmaxf(buf[u], buf[u + 32]);
        bar_sync(1 + team);
        if (u < 32) {
            for (int h = 16; h > 0; h >>= 1) {
                if (u < h) buf[u] = fmaxf(buf[u], buf[u + h]);
                __syncwarp();
            }
        }
        bar_sync(1 + team);
        const float amax = buf[0];
        const float f = amax > 0.f ? 127.f / amax : 0.f;
        for (int c = u; c < COLS; c += TEAM) q[row * COLS + c] = (signed char)rintf(x[row * COLS + c] * f);
        if (u == 0) scale[row] = amax / 127.f;
        bar_sync(1 + team);                  // before buf is reused
    }
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 7;
    const int seed = argc > 2 ? atoi(argv[2]) : 13;
    if (rows < 1 || rows > 1000000) { fprintf(stderr, "rows must be in 1..1000000\n"); return 2; }
    std::mt19937 gen(seed);
    std::uniform_real_distribution<float> u(-4.f, 4.f);
    std::vector<float> x((size_t)rows * COLS), s(rows);
    std::vector<signed char> q(x.size());
    for (auto& v : x) v = u(gen);

    float *dx, *ds;
    signed char* dq;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&ds, rows * sizeof(float));
    cudaMalloc(&dq, q.size());
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    quantize<<<GRID, 2 * TEAM>>>(dx, dq, ds, rows);
    cudaError_t e1 = cudaMemcpy(q.data(), dq, q.size(), cudaMemcpyDeviceToHost);
    cudaError_t e2 = cudaMemcpy(s.data(), ds, rows * sizeof(float), cudaMemcpyDeviceToHost);
    if (e1 != cudaSuccess || e2 != cudaSuccess) {
        printf("FAIL\n");
        return 1;
    }
    long long sum = 0;
    for (int r = 0; r < rows; ++r) {
        float amax = 0.f;
        for (int c = 0; c < COLS; ++c) amax = std::fmax(amax, std::fabs(x[(size_t)r * COLS + c]));
        if (!(std::fabs(s[r] - amax / 127.f) <= 1e-6f * amax)) { printf("FAIL\n"); return 1; }
        for (int c = 0; c < COLS; ++c) {
            float want = amax > 0.f ? x[(size_t)r * COLS + c] * 127.f / amax : 0.f;
            if (!(std::fabs(want - q[(size_t)r * COLS + c]) <= 0.51f)) { printf("FAIL\n"); return 1; }
            sum += q[(size_t)r * COLS + c] * (c % 5 + 1);
        }
    }
    printf("PASS %lld\n", sum);
    return 0;
}
