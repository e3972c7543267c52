// Batch of small int matrix products, 16x16 tiles, software pipeline with two tile buffers.
//   batched_gemm_pipeline [matrix dimension] [seed]
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define T 16

#define cudaCheck(e) _check((e), #e, __LINE__)
static void _check(cudaError_t r, const char* s, int l)
{
    if (r != cudaSuccess) { fprintf(stderr, "%d: %s: %s\n", l, s, cudaGetErrorString(r)); exit(1); }
}

__global__ void gemmBatch(const int* A, const int* B, int* C, int n)
{
    __shared__ int As[2][T][T];
    __shared__ int Bs[2][T][T];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int col = blockIdx.x * T + tx, row = blockIdx.y * T + ty;
    const size_t off = (size_t)blockIdx.z * n * n;
    const int tiles = (n + T - 1) / T;
    A += off; B += off; C += off;

    As[0][ty][tx] = (row < n && tx < n) ? A[row * n + tx] : 0;
    Bs[0][ty][tx] = (ty < n && col < n) ? B[ty * n + col] : 0;
    __syncthreads();

    int acc = 0;
    for (int k = 0; k < tiles; ++k) {
        const int now = k & 1, nxt = now ^ 1;
        if (k + 1 < tiles) {                         // prefetch the next pair of tiles
            const int ka = (k + 1) * T + tx, kb = (k + 1) * T + ty;
            As[nxt][ty][tx] = (row < n && ka < n) ? A[row * n + ka] : 0;
            Bs[nxt][ty][tx] = (kb < n && col < n) ? B[kb * n + col] : 0;
        }
        __syncthreads();                             // prefetch issued by everybody
        for (int i = 0; i < T; ++i) {
            const int a = As[now][ty][i];
            acc += a * Bs[now][i][tx];
        }
        __syncthreads();                             // swap buffers
    }
    if (row < n && col < n) C[row * n + col] = acc;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 16;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    if (n < 1 || n > 256) { fprintf(stderr, "dimension must be 1..256\n"); return 2; }
    const int batch = 6;
    size_t sz = (size_t)n * n * batch;
    std::vector<int> a(sz), b(sz), c(sz);
    srand(seed);
    for (size_t i = 0; i < sz; ++i) { a[i] = rand() % 19 - 9; b[i] = rand() % 19 - 9; }

    int *da, *db, *dc;
    cudaCheck(cudaMalloc(&da, sz * 4)); cudaCheck(cudaMalloc(&db, sz * 4)); cudaCheck(cudaMalloc(&dc, sz * 4));
    cudaCheck(cudaMemcpy(da, a.data(), sz * 4, cudaMemcpyHostToDevice));
    cudaCheck(cudaMemcpy(db, b.data(), sz * 4, cudaMemcpyHostToDevice));
    dim3 grid((n + T - 1) / T, (n + T - 1) / T, batch);
    gemmBatch<<<grid, dim3(T, T)>>>(da, db, dc, n);
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(c.data(), dc, sz * 4, cudaMemcpyDeviceToHost));

    long long sum = 0;
    for (int m = 0; m < batch; ++m)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const int* pa = &a[(size_t)m * n * n + (size_t)i * n];
                const int* pb = &b[(size_t)m * n * n + j];
                int want = 0;
                for (int k = 0; k < n; ++k) want += pa[k] * pb[(size_t)k * n];
                if (want != c[(size_t)m * n * n + (size_t)i * n + j]) { printf("FAIL (%d,%d,%d)\n", m, i, j); return 1; }
                sum += (long long)want * (j + 1);
            }
    printf("PASS %lld\n", sum);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return 0;
}
