// Integer 8x8 DCT with quantization, as in a JPEG encoder. One 8x8 thread block walks over tiles.
//   dct8x8_quant [picture side] [seed]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <random>
#include <cuda_runtime.h>

__constant__ int basis[8][8];      // basis[u][x], scaled by 1024

#define CUDA_TRY(x) do { cudaError_t _e = (x); if (_e != cudaSuccess) { \
    fprintf(stderr, "CUDA error '%s' at %s:%d\n", cudaGetErrorString(_e), __FILE__, __LINE__); exit(1); } } while (0)

__host__ __device__ inline int quantStep(int u, int v) { return 8 + 3 * (u + v); }

__global__ void dctTiles(const unsigned char* img, int* coef, int side, int across, int tiles)
{
    __shared__ int pix[8][8], mid[8][8];
    const int tx = threadIdx.x, ty = threadIdx.y;

    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int x = min(tile % across * 8 + tx, side - 1);      // replicate the border
        const int y = min(tile / across * 8 + ty, side - 1);
        pix[ty][tx] = img[(size_t)y * side + x] - 128;
        __syncthreads();

        int r = 0;
        for (int k = 0; k < 8; ++k)
            r += basis[tx][k] * pix[ty][k];
        __syncthreads();

        mid[ty][tx] = r >> 6;
        __syncthreads();

        int c = 0;
        for (int k = 0; k < 8; ++k)
            c += basis[ty][k] * mid[k][tx];
        coef[(size_t)tile * 64 + ty * 8 + tx] = (c >> 14) / quantStep(tx, ty);
    }
}

int main(int argc, char** argv)
{
    int side = argc > 1 ? atoi(argv[1]) : 40;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 17;
    if (side < 1 || side > 4096) { fprintf(stderr, "side must be 1..4096\n"); return 2; }
    int b[8][8];
    for (int u = 0; u < 8; ++u)
        for (int x = 0; x < 8; ++x)
            b[u][x] = (int)lrint(1024 * 0.5 * (u ? 1.0 : sqrt(0.5)) * cos((2 * x + 1) * u * M_PI / 16));
    std::vector<unsigned char> img((size_t)side * side);
    std::mt19937 gen(seed);
    for (auto& p : img) p = gen() >> 24;
    const int across = (side + 7) / 8, tiles = across * across;
    std::vector<int> got((size_t)tiles * 64);

    unsigned char* dImg; int* dCoef;
    CUDA_TRY(cudaMemcpyToSymbol(basis, b, sizeof b));
    CUDA_TRY(cudaMalloc(&dImg, img.size()));
    CUDA_TRY(cudaMalloc(&dCoef, got.size() * sizeof(int)));
    CUDA_TRY(cudaMemcpy(dImg, img.data(), img.size(), cudaMemcpyHostToDevice));
    dctTiles<<<std::min(tiles, 128), dim3(8, 8)>>>(dImg, dCoef, side, across, tiles);
    CUDA_TRY(cudaGetLastError());
    CUDA_TRY(cudaMemcpy(got.data(), dCoef, got.size() * sizeof(int), cudaMemcpyDeviceToHost));

    long long sum = 0;
    for (int t = 0; t < tiles; ++t) {
        int mid[8][8];
        for (int y = 0; y < 8; ++y)
            for (int u = 0; u < 8; ++u) {
                int r = 0;
                for (int k = 0; k < 8; ++k) {
                    int px = std::min(t % across * 8 + k, side - 1), py = std::min(t / across * 8 + y, side - 1);
                    r += b[u][k] * (img[(size_t)py * side + px] - 128);
                }
                mid[y][u] = r >> 6;
            }
        for (int v = 0; v < 8; ++v)
            for (int u = 0; u < 8; ++u) {
                int c = 0;
                for (int k = 0; k < 8; ++k) c += b[v][k] * mid[k][u];
                int want = (c >> 14) / quantStep(u, v);
                if (want != got[(size_t)t * 64 + v * 8 + u]) { printf("FAIL tile %d\n", t); return 1; }
                sum += (long long)want * (u * 8 + v + 1);
            }
    }
    printf("PASS %lld\n", sum);
    CUDA_TRY(cudaFree(dImg)); CUDA_TRY(cudaFree(dCoef));
    return 0;
}
