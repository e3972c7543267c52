// Out-of-place transpose, persistent blocks walking over 32x32 tiles.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

static void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); std::exit(1); }
}

const int TILE = 32;
const int ROWS = 8;
const int MAX_BLOCKS = 64;

__global__ void transpose_walk(const int* __restrict__ in, int* __restrict__ out, int n, int tiles_per_side)
{
    __shared__ int tile[TILE][TILE + 1];     // +1: bank conflicts
    const int total = tiles_per_side * tiles_per_side;

    __syncthreads();
    for (int id = blockIdx.x; id < total; id += gridDim.x) {
        const int bx = id % tiles_per_side, by = id / tiles_per_side;

        int x = bx * TILE + threadIdx.x;
        for (int j = threadIdx.y; j < TILE; j += ROWS) {
            int y = by * TILE + j;
            if (x < n && y < n) tile[j][threadIdx.x] = in[(size_t)y * n + x];
        }
        __syncthreads();

        x = by * TILE + threadIdx.x;
        for (int j = threadIdx.y; j < TILE; j += ROWS) {
            int y = bx * TILE + j;
            if (x < n && y < n) out[(size_t)y * n + x] = tile[threadIdx.x][j];
        }
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 250;
    int seed = argc > 2 ? std::atoi(argv[2]) : 7;
    if (n <= 0 || n > 8192) { std::fprintf(stderr, "n out of range (1..8192)\n"); return 2; }

    std::mt19937 gen(seed);
    std::vector<int> h((size_t)n * n), r((size_t)n * n);
    for (int& v : h) v = (int)(gen() & 0xffff);

    int *d_in, *d_out;
    check(cudaMalloc(&d_in, h.size() * sizeof(int)), "malloc in");
    check(cudaMalloc(&d_out, h.size() * sizeof(int)), "malloc out");
    check(cudaMemcpy(d_in, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice), "h2d");

    int side = (n + TILE - 1) / TILE;
    int blocks = side * side < MAX_BLOCKS ? side * side : MAX_BLOCKS;
    transpose_walk<<<blocks, dim3(TILE, ROWS)>>>(d_in, d_out, n, side);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(r.data(), d_out, r.size() * sizeof(int), cudaMemcpyDeviceToHost), "d2h");

    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (r[(size_t)i * n + j] != h[(size_t)j * n + i]) { std::puts("FAIL"); return 1; }
            sum = sum * 31 + (unsigned)r[(size_t)i * n + j];
        }
    std::printf("PASS %llu\n", sum);
    return 0;
}
