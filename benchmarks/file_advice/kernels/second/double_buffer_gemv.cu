// y = A^T x with A stored k-major; x is double-buffered in shared memory, one output per thread.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define TPB 64
#define gpuErr(x) do { cudaError_t rc_ = (x); if (rc_ != cudaSuccess) { \
  fprintf(stderr, "[%s] at %d\n", cudaGetErrorName(rc_), __LINE__); exit(EXIT_FAILURE); } } while (0)

__global__ void gemv_db(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int n)
{
    __shared__ float xs[2][TPB];
    const int t = threadIdx.x;
    const int col = blockIdx.x * TPB + t;
    const int chunks = (n + TPB - 1) / TPB;

    xs[0][t] = t < n ? x[t] : 0.f;                 // prologue
    __syncthreads();

    float acc = 0.f;
    for (int c = 0; c < chunks; ++c) {
        const int cur = c & 1;
        if (c + 1 < chunks) {                      // prefetch next chunk
            const int g = (c + 1) * TPB + t;
            xs[cur ^ 1][t] = g < n ? x[g] : 0.f;
        }
        __syncthreads();                           // prefetch visible
        const int lim = min(TPB, n - c * TPB);
        if (col < n)
            for (int i = 0; i < lim; ++i)
                acc += A[(size_t)(c * TPB + i) * n + col] * xs[cur][i];
        __syncthreads();                           // swap buffers
    }
    if (col < n) y[col] = acc;
}

int main(int argc, char** argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 100;
    int seed = (argc > 2) ? atoi(argv[2]) : 17;
    if (n <= 0 || n > 8000) { fprintf(stderr, "n <= 8000, please\n"); return 2; }
    srand(seed);
    std::vector<float> A((size_t)n * n), x(n), y(n);
    for (size_t i = 0; i < A.size(); ++i) A[i] = (float)rand() / RAND_MAX - 0.5f;
    for (int i = 0; i < n; ++i) x[i] = (float)rand() / RAND_MAX - 0.5f;

    float *a, *b, *c;
    gpuErr(cudaMalloc(&a, A.size() * sizeof(float)));
    gpuErr(cudaMalloc(&b, n * sizeof(float)));
    gpuErr(cudaMalloc(&c, n * sizeof(float)));
    gpuErr(cudaMemcpy(a, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    gpuErr(cudaMemcpy(b, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    gemv_db<<<(n + TPB - 1) / TPB, TPB>>>(a, b, c, n);
    gpuErr(cudaGetLastError());
    gpuErr(cudaMemcpy(y.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));

    std::vector<double> ref(n, 0.0);
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) ref[j] += (double)A[(size_t)k * n + j] * x[k];
    double sum = 0;
    for (int j = 0; j < n; ++j) {
        if (!(std::fabs(ref[j] - y[j]) < 1e-3)) { puts("FAIL"); return 1; }
        sum += y[j];
    }
    printf("PASS %.5f\n", sum);
    cudaFree(a); cudaFree(b); cudaFree(c);
    return 0;
}
