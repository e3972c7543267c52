// Online-softmax attention ("flash" style): one query per thread, K/V streamed in tiles of 32 keys.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static const int D = 16, BR = 64, BC = 32;

static inline void chk(cudaError_t e) {
    if (e != cudaSuccess) { fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e)); exit(1); }
}

__global__ void flash(const float* Q, const float* K, const float* V, float* O, int n)
{
    __shared__ float Kt[BC][D], Vt[BC][D];
    __shared__ float P[BR][BC + 1];
    const int t = threadIdx.x;
    const int qi = blockIdx.x * BR + t;

    float q[D], o[D], m = -1e30f, l = 0.f;
    for (int d = 0; d < D; ++d) { q[d] = qi < n ? Q[qi * D + d] : 0.f; o[d] = 0.f; }

    for (int k0 = 0; k0 < n; k0 += BC) {
        const int cnt = min(BC, n - k0);
        for (int i = t; i < cnt * D; i += BR) {
            Kt[i / D][i % D] = K[k0 * D + i];
            Vt[i / D][i % D] = V[k0 * D + i];
        }
        __syncthreads();                                // tiles loaded

        float mx = m;
        for (int j = 0; j < cnt; ++j) {
            float s = 0.f;
            for (int d = 0; d < D; ++d) s += q[d] * Kt[j][d];
            s *= 0.25f;
            P[t][j] = s;
            mx = fmaxf(mx, s);
        }
        __syncthreads();                                // scores ready

        const float f = expf(m - mx);
        l *= f;
        for (int d = 0; d < D; ++d) o[d] *= f;
        for (int j = 0; j < cnt; ++j) {
            const float p = expf(P[t][j] - mx);
            l += p;
            for (int d = 0; d < D; ++d) o[d] += p * Vt[j][d];
        }
        m = mx;
        __syncthreads();                                // tile consumed
    }
    if (qi < n)
        for (int d = 0; d < D; ++d) O[qi * D + d] = o[d] / l;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 32;
    srand(argc > 2 ? atoi(argv[2]) : 1);
    if (n < 1 || n > 4096) { fprintf(stderr, "sequence length 1..4096\n"); return 2; }
    std::vector<float> h[3], r(n * D);
    for (auto& v : h) { v.resize(n * D); for (auto& e : v) e = (rand() % 401 - 200) / 100.f; }
    float *dev[4];
    for (int i = 0; i < 4; ++i) {
        chk(cudaMalloc(&dev[i], n * D * sizeof(float)));
        if (i < 3) chk(cudaMemcpy(dev[i], h[i].data(), n * D * sizeof(float), cudaMemcpyHostToDevice));
    }
    flash<<<(n + BR - 1) / BR, BR>>>(dev[0], dev[1], dev[2], dev[3], n);
    chk(cudaGetLastError());
    chk(cudaMemcpy(r.data(), dev[3], n * D * sizeof(float), cudaMemcpyDeviceToHost));

    double sum = 0;
    std::vector<double> p(n);
    for (int i = 0; i < n; ++i) {
        double mx = -1e30, l = 0;
        for (int j = 0; j < n; ++j) {
            p[j] = 0;
            for (int d = 0; d < D; ++d) p[j] += 0.25 * h[0][i * D + d] * h[1][j * D + d];
            if (p[j] > mx) mx = p[j];
        }
        for (auto& e : p) l += e = std::exp(e - mx);
        for (int d = 0; d < D; ++d) {
            double w = 0;
            for (int j = 0; j < n; ++j) w += p[j] * h[2][j * D + d];
            if (!(std::fabs(w / l - r[i * D + d]) < 2e-3)) { puts("FAIL"); return 1; }
            sum += r[i * D + d];
        }
    }
    printf("PASS %.4f\n", sum);
    return 0;
}
