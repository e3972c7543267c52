// Single-head attention, head size 32. Blocks of 128 threads walk over the queries.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <random>
#include <vector>

constexpr int D = 32, T = 128, W = T / 32, MAXKEYS = 1024, BLOCKS = 16;
#define OK(x) do { if (cudaError_t e = (x)) { std::printf("%s: %s\n", #x, cudaGetErrorString(e)); std::exit(1); } } while (0)

__global__ void attend(const float* Q, const float* K, const float* V, float* O, int n)
{
    __shared__ float qs[D], sc[MAXKEYS], wmax[W], wsum[W], acc[W][D];
    const int tid = threadIdx.x, lane = tid & 31, w = tid >> 5;

    for (int q = blockIdx.x; q < n; q += gridDim.x) {
        if (tid < D) qs[tid] = Q[q * D + tid] * rsqrtf((float)D);
        __syncthreads();

        float m = -INFINITY;
        for (int j = tid; j < n; j += T) {
            float dot = 0.f;
            for (int d = 0; d < D; ++d) dot += qs[d] * K[j * D + d];
            sc[j] = dot;
            m = fmaxf(m, dot);
        }
        __syncthreads();                       // scores complete

        for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
        if (lane == 0) wmax[w] = m;
        __syncthreads();
        for (int i = 0; i < W; ++i) m = fmaxf(m, wmax[i]);

        float sum = 0.f;
        for (int j = tid; j < n; j += T) {
            const float p = expf(sc[j] - m);
            sc[j] = p;
            sum += p;
        }
        __syncthreads();                       // probabilities complete
        for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(~0u, sum, o);
        if (lane == 0) wsum[w] = sum;
        __syncthreads();
        sum = 0.f;
        for (int i = 0; i < W; ++i) sum += wsum[i];

        float a = 0.f;
        for (int j = w; j < n; j += W) a += sc[j] * V[j * D + lane];
        acc[w][lane] = a;
        __syncthreads();
        if (w == 0) {
            float r = 0.f;
            for (int i = 0; i < W; ++i) r += acc[i][lane];
            O[q * D + lane] = r / sum;
        }
        __syncthreads();                       // before the next query
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 16;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 2;
    if (n < 1 || n > MAXKEYS) { std::printf("sequence length must be 1..%d\n", MAXKEYS); return 2; }
    std::mt19937 gen(seed);
    std::uniform_real_distribution<float> u(-2.f, 2.f);
    std::vector<float> q(n * D), k(n * D), v(n * D), o(n * D);
    for (int i = 0; i < n * D; ++i) { q[i] = u(gen); k[i] = u(gen); v[i] = u(gen); }
    float* d[4];
    const size_t bytes = sizeof(float) * n * D;
    for (auto& p : d) OK(cudaMalloc(&p, bytes));
    OK(cudaMemcpy(d[0], q.data(), bytes, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d[1], k.data(), bytes, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d[2], v.data(), bytes, cudaMemcpyHostToDevice));
    attend<<<BLOCKS, T>>>(d[0], d[1], d[2], d[3], n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(o.data(), d[3], bytes, cudaMemcpyDeviceToHost));

    double check = 0;
    std::vector<double> p(n);
    for (int i = 0; i < n; ++i) {
        double mx = -1e300, s = 0;
        for (int j = 0; j < n; ++j) {
            p[j] = 0;
            for (int t = 0; t < D; ++t) p[j] += (double)q[i * D + t] * k[j * D + t] / std::sqrt((double)D);
            mx = std::fmax(mx, p[j]);
        }
        for (int j = 0; j < n; ++j) s += p[j] = std::exp(p[j] - mx);
        for (int t = 0; t < D; ++t) {
            double want = 0;
            for (int j = 0; j < n; ++j) want += p[j] * v[j * D + t] / s;
            if (!(std::fabs(want - o[i * D + t]) < 1e-3)) { std::puts("FAIL"); return 1; }
            check += o[i * D + t];
        }
    }
    std::printf("PASS %.4f\n", check);
    return 0;
}
