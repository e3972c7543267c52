// Batched Cholesky of 16x16 SPD matrices. Half a warp works on one matrix, thread r owns row r.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define N 16
#define PER_BLOCK 4

static void die(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void chol16(const float* in, float* out, int batch)
{
    __shared__ float S[PER_BLOCK][N][N + 1];
    const int r = threadIdx.x % N;
    const int sub = threadIdx.x / N;
    const int id = blockIdx.x * PER_BLOCK + sub;
    float (*A)[N + 1] = S[sub];

    for (int i = 0; i < N; ++i)                    // coalesced: r is the column here
        A[i][r] = id < batch ? in[id * N * N + i * N + r] : (i == r ? 1.f : 0.f);
    __syncthreads();

    for (int k = 0; k < N; ++k) {
        if (r == k)
            A[k][k] = sqrtf(A[k][k]);
        __syncthreads();
        if (r > k)
            A[r][k] /= A[k][k];
        __syncthreads();
        for (int j = k + 1; j <= r; ++j) {
            const float c = A[j][k];
            A[r][j] -= A[r][k] * c;
        }
        __syncthreads();                           // trailing update done
    }
    __syncthreads();
    if (id < batch)
        for (int i = 0; i < N; ++i)
            out[id * N * N + i * N + r] = i >= r ? A[i][r] : 0.f;
}

int main(int argc, char** argv)
{
    int batch = argc > 1 ? atoi(argv[1]) : 9;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (batch < 1 || batch > 200000) { fprintf(stderr, "batch size 1..200000\n"); return 2; }
    srand(seed);
    const size_t cnt = (size_t)batch * N * N;
    std::vector<float> h(cnt), l(cnt);
    for (int b = 0; b < batch; ++b) {
        float* M = &h[(size_t)b * N * N];
        for (int i = 0; i < N; ++i)
            for (int j = 0; j <= i; ++j) {
                float v = (rand() % 200 - 100) / 100.f;
                M[i * N + j] = M[j * N + i] = i == j ? 18.f + v : v;   // diagonally dominant
            }
    }
    float *din, *d_out;
    die(cudaMalloc(&din, cnt * 4));
    die(cudaMalloc(&d_out, cnt * 4));
    die(cudaMemcpy(din, h.data(), cnt * 4, cudaMemcpyHostToDevice));
    chol16<<<(batch + PER_BLOCK - 1) / PER_BLOCK, N * PER_BLOCK>>>(din, d_out, batch);
    die(cudaGetLastError());
    die(cudaMemcpy(l.data(), d_out, cnt * 4, cudaMemcpyDeviceToHost));

    double sum = 0;
    for (int b = 0; b < batch; ++b) {
        const float* L = &l[(size_t)b * N * N];
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) {
                double v = 0;
                for (int k = 0; k <= (i < j ? i : j); ++k) v += (double)L[i * N + k] * L[j * N + k];
                if (!(std::fabs(v - h[(size_t)b * N * N + i * N + j]) < 1e-3)) { puts("FAIL"); return 1; }
                sum += L[i * N + j];
            }
    }
    printf("PASS %.4f\n", sum);
    return 0;
}
