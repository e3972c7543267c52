// 3x3 median filter; the interior of a tile comes from shared memory, its rim from global.
#include <cooperative_groups.h>
#include <cstdint>
#include <iostream>
#include <random>
#include <vector>
#include <algorithm>

namespace cg = cooperative_groups;

static void must(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) { std::cerr << what << ": " << cudaGetErrorString(e) << "\n"; std::exit(1); }
}

const int TW = 32, TH = 8;

__host__ __device__ inline int clampi(int v, int hi) { return v < 0 ? 0 : (v > hi ? hi : v); }

__global__ void median3x3(const uint16_t* __restrict__ img, uint16_t* __restrict__ res, int side)
{
    cg::thread_block blk = cg::this_thread_block();
    __shared__ uint16_t tile[TH][TW];
    int x = blockIdx.x * TW + threadIdx.x, y = blockIdx.y * TH + threadIdx.y;
    bool inside = x < side && y < side;

    tile[threadIdx.y][threadIdx.x] = inside ? img[y * side + x] : 0;
    blk.sync();

    uint16_t w[9];
    if (inside) {
        int k = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                int gx = clampi(x + dx, side - 1), gy = clampi(y + dy, side - 1);
                int lx = gx - (int)blockIdx.x * TW, ly = gy - (int)blockIdx.y * TH;
                if (lx >= 0 && lx < TW && ly >= 0 && ly < TH)
                    w[k++] = tile[ly][lx];
                else
                    w[k++] = img[gy * side + gx];
            }
        // partial selection sort: only the five smallest are wanted
        for (int i = 0; i < 5; ++i)
            for (int j = i + 1; j < 9; ++j)
                if (w[j] < w[i]) { uint16_t t = w[i]; w[i] = w[j]; w[j] = t; }
    }
    blk.sync();   // everybody done with the tile
    if (inside) res[y * side + x] = w[4];
}

int main(int argc, char** argv)
{
    long side = argc > 1 ? std::atol(argv[1]) : 61;
    unsigned seed = argc > 2 ? std::strtoul(argv[2], nullptr, 0) : 7;
    if (side < 1 || side > 4096) { std::cerr << "side: 1..4096\n"; return 2; }
    size_t n = size_t(side) * side;
    std::vector<uint16_t> h(n), g(n);
    std::mt19937 gen(seed);
    for (auto& v : h) v = gen() & 0xfff;

    uint16_t *a, *b;
    must(cudaMalloc(&a, n * 2), "malloc a");
    must(cudaMalloc(&b, n * 2), "malloc b");
    must(cudaMemcpy(a, h.data(), n * 2, cudaMemcpyHostToDevice), "h2d");
    dim3 blk(TW, TH), grd((side + TW - 1) / TW, (side + TH - 1) / TH);
    median3x3<<<grd, blk>>>(a, b, (int)side);
    must(cudaGetLastError(), "launch");
    must(cudaMemcpy(g.data(), b, n * 2, cudaMemcpyDeviceToHost), "d2h");

    unsigned long long sum = 0;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            uint16_t w[9]; int k = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx)
                    w[k++] = h[clampi(y + dy, side - 1) * side + clampi(x + dx, side - 1)];
            std::nth_element(w, w + 4, w + 9);
            if (w[4] != g[y * side + x]) { std::cout << "FAIL\n"; return 1; }
            sum += (unsigned long long)w[4] * (x + 1);
        }
    std::cout << "PASS " << sum << "\n";
    cudaFree(a); cudaFree(b);
    return 0;
}
