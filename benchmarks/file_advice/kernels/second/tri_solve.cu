// Forward substitution L x = b in one block, one thread per unknown (column sweep).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

constexpr int MAXN = 512;

__global__ void forward_subst(const double* __restrict__ L, const double* __restrict__ b, double* x, int n)
{
    __shared__ double xs[MAXN];
    const int t = threadIdx.x;
    double acc = t < n ? b[t] : 0.0;

    for (int k = 0; k < n; ++k) {
        if (t == k)
            xs[k] = acc / L[(size_t)k * n + k];
        __syncthreads();                // x[k] is known
        if (t > k && t < n)
            acc -= L[(size_t)t * n + k] * xs[k];
        __syncthreads();                // everybody used x[k]
    }
    if (t < n) x[t] = xs[t];
}

int main(int argc, char** argv)
{
    int n = 24;
    unsigned seed = 1;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) seed = (unsigned)atoi(argv[2]);
    if (n < 1 || n > MAXN) {
        fprintf(stderr, "%s: this kernel solves systems of 1..%d unknowns\n", argv[0], MAXN);
        return 2;
    }
    srand(seed);
    std::vector<double> L((size_t)n * n, 0.0), b(n), x(n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) L[(size_t)i * n + j] = (rand() % 100 - 50) / (50.0 * n);
        L[(size_t)i * n + i] = 1.0 + (rand() % 100) / 100.0;
        b[i] = rand() % 10 - 4.5;
    }
    double *dL, *db, *dx;
    cudaMalloc(&dL, L.size() * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dx, n * sizeof(double));
    cudaMemcpy(dL, L.data(), L.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);

    const int threads = (n + 31) / 32 * 32;
    forward_subst<<<1, threads>>>(dL, db, dx, n);
    cudaError_t err = cudaMemcpy(x.data(), dx, n * sizeof(double), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(err));
        printf("FAIL\n");
        return 1;
    }

    std::vector<double> ref(n);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        double v = b[i];
        for (int j = 0; j < i; ++j) v -= L[(size_t)i * n + j] * ref[j];
        ref[i] = v / L[(size_t)i * n + i];
        if (!(std::fabs(ref[i] - x[i]) < 1e-9 * (1 + std::fabs(ref[i])))) { printf("FAIL\n"); return 1; }
        sum += x[i];
    }
    printf("PASS %.8f\n", sum);
    cudaFree(dL); cudaFree(db); cudaFree(dx);
    return 0;
}
