// C = A * B, square, classic shared-memory tiling (course exercise 3).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int TS = 16;

__global__ void mm_tiled(const float* A, const float* B, float* C, int n) {
    __shared__ float As[TS][TS];
    __shared__ float Bs[TS][TS];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TS + ty;
    const int col = blockIdx.x * TS + tx;
    float acc = 0.f;
    for (int t = 0; t < (n + TS - 1) / TS; ++t) {
        const int ac = t * TS + tx, br = t * TS + ty;
        As[ty][tx] = (row < n && ac < n) ? A[(size_t)row * n + ac] : 0.f;
        Bs[ty][tx] = (br < n && col < n) ? B[(size_t)br * n + col] : 0.f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TS; ++k) {
            const float a = As[ty][k];
            const float b = Bs[k][tx];
            acc = fmaf(a, b, acc);
        }
        __syncthreads();   // tile may be overwritten now
    }
    __syncthreads();       // all tiles done
    if (row < n && col < n) C[(size_t)row * n + col] = acc;
}

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 16;
    const unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (n < 1 || n > 2048) { fprintf(stderr, "size must be 1..2048\n"); return 2; }
    srand(seed);
    std::vector<float> a((size_t)n * n), b(a.size()), c(a.size());
    for (auto& v : a) v = (rand() % 201 - 100) / 100.f;
    for (auto& v : b) v = (rand() % 201 - 100) / 100.f;
    float *da, *db, *dc;
    const size_t bytes = a.size() * sizeof(float);
    CK(cudaMalloc(&da, bytes)); CK(cudaMalloc(&db, bytes)); CK(cudaMalloc(&dc, bytes));
    CK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    dim3 blk(TS, TS), grd((n + TS - 1) / TS, (n + TS - 1) / TS);
    mm_tiled<<<grd, blk>>>(da, db, dc, n);
    CK(cudaGetLastError());
    CK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    double sum = 0; bool ok = true;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double r = 0;
            for (int k = 0; k < n; ++k) r += (double)a[(size_t)i * n + k] * b[(size_t)k * n + j];
            if (!(std::fabs(r - c[(size_t)i * n + j]) < 1e-3 + 1e-4 * std::fabs(r))) ok = false;
            sum += c[(size_t)i * n + j];
        }
    if (!ok) { printf("FAIL\n"); return 1; }
    printf("PASS %.4f\n", sum);
    return 0;
}
