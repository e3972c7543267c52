// 64 bin histogram with one private copy per warp.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { BINS = 64, WARPS = 8, THREADS = WARPS * 32 };

#define SAFE(x) do { if ((x) != cudaSuccess) { fprintf(stderr, "error in %s\n", #x); return 1; } } while (0)

__global__ void histogram64(const unsigned char* data, unsigned* bins, int n)
{
    __shared__ unsigned h[WARPS][BINS];
    int lane = threadIdx.x % 32;
    int w = threadIdx.x / 32;

    // every warp clears its own copy
    for (int b = lane; b < BINS; b += 32)
        h[w][b] = 0;
    __syncthreads();

    int stride = gridDim.x * THREADS;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        atomicAdd(&h[w][data[i] >> 2], 1u);

    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += THREADS) {
        unsigned total = 0;
        for (int k = 0; k < WARPS; k++)
            total += h[k][b];
        if (total)
            atomicAdd(&bins[b], total);
    }
    __syncthreads();
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50000;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 99;
    if (n <= 0 || n > 100000000) {
        fprintf(stderr, "usage: %s [n <= 1e8] [seed]\n", argv[0]);
        return 2;
    }
    std::vector<unsigned char> data(n);
    unsigned want[BINS], got[BINS];
    memset(want, 0, sizeof want);
    for (int i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;
        data[i] = (unsigned char)(((seed >> 16) & 255) * ((seed >> 24) & 255) / 255);
        want[data[i] >> 2]++;
    }
    unsigned char* d_data;
    unsigned* d_bins;
    SAFE(cudaMalloc(&d_data, n));
    SAFE(cudaMalloc(&d_bins, sizeof want));
    SAFE(cudaMemset(d_bins, 0, sizeof want));
    SAFE(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    int grid = (n + THREADS * 16 - 1) / (THREADS * 16);
    if (grid > 256) grid = 256;
    histogram64<<<grid, THREADS>>>(d_data, d_bins, n);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(got, d_bins, sizeof got, cudaMemcpyDeviceToHost));

    unsigned check = 0;
    for (int b = 0; b < BINS; b++) {
        if (want[b] != got[b]) {
            printf("FAIL bin %d: %u instead of %u\n", b, got[b], want[b]);
            return 1;
        }
        check = check * 65599u + got[b];
    }
    printf("PASS %u\n", check);
    return 0;
}
