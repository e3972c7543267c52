// Row sums of an ELLPACK matrix with a 2-D block: blockDim.x threads share a
// row, blockDim.y rows per pass.  The width is chosen from the column count.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define ERR(call) do { cudaError_t _e = call; if (_e != cudaSuccess) { \
    fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(_e)); exit(EXIT_FAILURE); } } while (0)

#define THREADS 256

__global__ void ell_spmv(const int* cols, const int* vals, const int* x, int* y, int rows, int width)
{
    __shared__ int buf[THREADS];
    const int tx = threadIdx.x, W = blockDim.x;
    int* s = buf + threadIdx.y * W;

    for (int base = blockIdx.x * blockDim.y; base < rows; base += gridDim.x * blockDim.y) {
        const int r = base + threadIdx.y;
        int acc = 0;
        if (r < rows)
            for (int k = tx; k < width; k += W) {
                int c = cols[(size_t)r * width + k];
                if (c >= 0) acc += vals[(size_t)r * width + k] * x[c];
            }
        s[tx] = acc;
        __syncthreads();
        for (int d = W / 2; d > 0; d >>= 1) {
            if (tx < d) s[tx] += s[tx + d];
            __syncthreads();
        }
        if (tx == 0 && r < rows) y[r] = s[0];
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    // problem size = entries per ELL row
    int width = argc > 1 ? atoi(argv[1]) : 32;
    int seed = argc > 2 ? atoi(argv[2]) : 11;
    if (width < 1 || width > 4096) { fprintf(stderr, "ELL width must be 1..4096\n"); return 2; }
    const int rows = 700, ncols = 900;
    int W = width <= 16 ? 16 : width <= 32 ? 32 : 64;

    srand(seed);
    std::vector<int> cols((size_t)rows * width), vals(cols.size()), x(ncols), y(rows), ref(rows, 0);
    for (int& v : x) v = rand() % 9 - 4;
    for (int r = 0; r < rows; ++r) {
        int used = rand() % (width + 1);
        for (int k = 0; k < width; ++k) {
            size_t p = (size_t)r * width + k;
            cols[p] = k < used ? rand() % ncols : -1;
            vals[p] = rand() % 15 - 7;
            if (cols[p] >= 0) ref[r] += vals[p] * x[cols[p]];
        }
    }
    int *dc, *dv, *dx, *dy;
    ERR(cudaMalloc(&dc, cols.size() * sizeof(int)));
    ERR(cudaMalloc(&dv, vals.size() * sizeof(int)));
    ERR(cudaMalloc(&dx, ncols * sizeof(int)));
    ERR(cudaMalloc(&dy, rows * sizeof(int)));
    ERR(cudaMemcpy(dc, cols.data(), cols.size() * sizeof(int), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(dv, vals.data(), vals.size() * sizeof(int), cudaMemcpyHostToDevice));
    ERR(cudaMemcpy(dx, x.data(), ncols * sizeof(int), cudaMemcpyHostToDevice));

    dim3 block(W, THREADS / W);
    int passes = (rows + block.y - 1) / block.y;
    ell_spmv<<<passes < 24 ? passes : 24, block>>>(dc, dv, dx, dy, rows, width);
    ERR(cudaGetLastError());
    ERR(cudaMemcpy(y.data(), dy, rows * sizeof(int), cudaMemcpyDeviceToHost));

    long long chk = 0;
    for (int r = 0; r < rows; ++r) {
        if (y[r] != ref[r]) { printf("FAIL\n"); return 1; }
        chk += (long long)y[r] * (r + 1);
    }
    printf("PASS %lld\n", chk);
    return 0;
}
