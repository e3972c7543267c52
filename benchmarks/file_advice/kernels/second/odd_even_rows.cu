// Odd-even transposition network: every warp sorts one row of 64 keys.
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <random>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int ROW = 64;
constexpr int WPB = 4;      // warps (rows) per block

#define TRY(e) do { cudaError_t r_ = (e); if (r_) { printf("%s\n", cudaGetErrorString(r_)); return 1; } } while (0)

__global__ void sort_rows(float* data, int rows)
{
    __shared__ float keys[WPB][ROW];
    const int lane = threadIdx.x & 31;
    const int w = threadIdx.x >> 5;
    const int row = blockIdx.x * WPB + w;
    float* k = keys[w];

    k[lane]      = row < rows ? data[row * ROW + lane] : 0.f;
    k[lane + 32] = row < rows ? data[row * ROW + lane + 32] : 0.f;
    __syncthreads();

    for (int phase = 0; phase < ROW; ++phase) {
        const int i = 2 * lane + (phase & 1);
        if (i + 1 < ROW) {
            const float lo = fminf(k[i], k[i + 1]);
            const float hi = fmaxf(k[i], k[i + 1]);
            k[i] = lo;
            k[i + 1] = hi;
        }
        __syncthreads();        // end of phase
    }

    __syncthreads();
    if (row < rows) {
        data[row * ROW + lane] = k[lane];
        data[row * ROW + lane + 32] = k[lane + 32];
    }
}

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? atoi(argv[1]) : 10;
    const int seed = argc > 2 ? atoi(argv[2]) : 1;
    if (rows <= 0 || rows > 1000000) { printf("need 1..1000000 rows\n"); return 2; }

    std::mt19937 g(seed);
    std::vector<float> h((size_t)rows * ROW);
    for (auto& v : h) v = (float)(g() % 1000);
    std::vector<float> want = h;
    for (int r = 0; r < rows; ++r)
        std::sort(want.begin() + (size_t)r * ROW, want.begin() + (size_t)(r + 1) * ROW);

    float* d;
    TRY(cudaMalloc(&d, h.size() * sizeof(float)));
    TRY(cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice));
    sort_rows<<<(rows + WPB - 1) / WPB, WPB * 32>>>(d, rows);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(h.data(), d, h.size() * sizeof(float), cudaMemcpyDeviceToHost));
    TRY(cudaFree(d));

    if (h != want) { printf("FAIL\n"); return 1; }
    double sum = 0;
    for (size_t i = 0; i < h.size(); ++i) sum += h[i] * (double)(i % ROW);
    printf("PASS %.1f\n", sum);
    return 0;
}
