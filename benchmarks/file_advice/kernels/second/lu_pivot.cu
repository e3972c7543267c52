// LU with partial pivoting of one small dense matrix (n <= 64), in place in shared memory.
// Seed 0 builds a diagonally dominant matrix.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

constexpr int MAXN = 64, LD = MAXN + 1;

__global__ void lu(const double* in, double* out, int* perm, int n)
{
    __shared__ double a[MAXN * LD];
    __shared__ int piv;
    const int t = threadIdx.x;

    for (int i = t; i < n * n; i += blockDim.x) a[i / n * LD + i % n] = in[i];
    __syncthreads();

    for (int k = 0; k < n; ++k) {
        if (t == 0) {                               // pivot search
            int p = k;
            double best = 0.0;
            for (int i = k; i < n; ++i) {
                const double v = fabs(a[i * LD + k]);
                if (v > best) { best = v; p = i; }
            }
            piv = p;
            perm[k] = p;
        }
        __syncthreads();

        double* rk = a + k * LD;
        if (t < n) {
            double* rp = a + piv * LD;
            if (rp != rk) {                         // row exchange
                const double u = rk[t], v = rp[t];
                rk[t] = v;
                rp[t] = u;
            }
        }
        __syncthreads();

        if (t > k && t < n) {                       // eliminate row t
            double* rt = a + t * LD;
            const double f = rt[k] / rk[k];
            rt[k] = f;
            for (int j = k + 1; j < n; ++j) rt[j] -= f * rk[j];
        }
        __syncthreads();
    }

    __syncthreads();
    for (int i = t; i < n * n; i += blockDim.x) out[i] = a[i / n * LD + i % n];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 24;
    int seed = argc > 2 ? std::atoi(argv[2]) : 0;
    if (n < 1 || n > MAXN) { std::fprintf(stderr, "n must be 1..%d\n", MAXN); return 2; }
    std::mt19937 gen(seed);
    std::uniform_real_distribution<double> u(0.1, 1.1);
    std::vector<double> A(n * n), F(n * n);
    for (auto& v : A) v = u(gen);
    if (seed == 0)
        for (int i = 0; i < n; ++i) A[i * n + i] += 2.0 * n;

    double *din, *d_out; int* dperm;
    cudaMalloc(&din, n * n * sizeof(double));
    cudaMalloc(&d_out, n * n * sizeof(double));
    cudaMalloc(&dperm, n * sizeof(int));
    cudaMemcpy(din, A.data(), n * n * sizeof(double), cudaMemcpyHostToDevice);
    lu<<<1, MAXN>>>(din, d_out, dperm, n);
    std::vector<int> perm(n);
    cudaMemcpy(perm.data(), dperm, n * sizeof(int), cudaMemcpyDeviceToHost);
    if (cudaMemcpy(F.data(), d_out, n * n * sizeof(double), cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::printf("FAIL\n");
        return 1;
    }

    // P A == L U ?
    for (int k = 0; k < n; ++k)
        if (perm[k] != k)
            for (int j = 0; j < n; ++j) std::swap(A[k * n + j], A[perm[k] * n + j]);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double v = 0;
            for (int k = 0; k <= (i < j ? i : j); ++k) v += (k == i ? 1.0 : F[i * n + k]) * F[k * n + j];
            if (!(std::fabs(v - A[i * n + j]) < 1e-9 * n)) { std::printf("FAIL\n"); return 1; }
            sum += F[i * n + j];
        }
    std::printf("PASS %.9f\n", sum);
    return 0;
}
