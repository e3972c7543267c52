// Asymmetric 8-bit quantization of matrix rows: min tree, max tree in the same scratch, then scale.
//   minmax_quantize_rows [rows] [seed]
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CUCHECK(c) { cudaError_t e = c; if (e != cudaSuccess) { fprintf(stderr, "cuda: %s at %d\n", cudaGetErrorString(e), __LINE__); exit(1); } }

const int COLS = 128;

__global__ void quantRows(const int* m, unsigned char* q, int rows)
{
    __shared__ int red[COLS];
    const int c = threadIdx.x;

    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const int v = m[(size_t)r * COLS + c];

        red[c] = v;
        __syncthreads();
        for (int w = COLS / 2; w >= 1; w >>= 1) {
            if (c < w) red[c] = min(red[c], red[c + w]);
            __syncthreads();
        }
        const int lo = red[0];
        __syncthreads();

        red[c] = v;
        __syncthreads();
        for (int w = COLS / 2; w >= 1; w >>= 1) {
            if (c < w) red[c] = max(red[c], red[c + w]);
            __syncthreads();
        }
        const int hi = red[0];

        q[(size_t)r * COLS + c] = hi == lo ? 0 : (unsigned char)((long long)(v - lo) * 255 / (hi - lo));
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 48;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
    if (rows < 1 || rows > 500000) { fprintf(stderr, "rows must be 1..500000\n"); return 2; }

    size_t n = (size_t)rows * COLS;
    std::vector<int> h(n);
    std::vector<unsigned char> g(n);
    srand(seed);
    for (size_t i = 0; i < n; ++i) h[i] = rand() % 100000 - 50000;

    int* dm; unsigned char* dq;
    CUCHECK(cudaMalloc(&dm, n * sizeof(int)));
    CUCHECK(cudaMalloc(&dq, n));
    CUCHECK(cudaMemcpy(dm, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int grid = std::min(rows, 64);
    quantRows<<<grid, COLS>>>(dm, dq, rows);
    CUCHECK(cudaGetLastError());
    CUCHECK(cudaMemcpy(g.data(), dq, n, cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (int r = 0; r < rows; ++r) {
        int* p = &h[(size_t)r * COLS];
        int lo = *std::min_element(p, p + COLS), hi = *std::max_element(p, p + COLS);
        for (int c = 0; c < COLS; ++c) {
            unsigned char want = hi == lo ? 0 : (unsigned char)((long long)(p[c] - lo) * 255 / (hi - lo));
            if (want != g[(size_t)r * COLS + c]) { printf("FAIL row %d\n", r); return 1; }
            sum = sum * 3 + want;
        }
    }
    printf("PASS %llu\n", sum);
    CUCHECK(cudaFree(dm)); CUCHECK(cudaFree(dq));
    return 0;
}
