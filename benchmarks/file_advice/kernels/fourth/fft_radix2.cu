// Radix-2 decimation-in-time FFT, whole transform in shared memory, N/2 threads, one block per signal.
// fft_radix2 [N = power of two, 2..2048] [seed]
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <complex>
#include <vector>
#include <random>

#define SAFE(call) { cudaError_t st = call; if (st != cudaSuccess) { printf("CUDA: %s (line %d)\n", cudaGetErrorString(st), __LINE__); return 1; } }

static const int BATCH = 4;

__device__ inline float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

__global__ void fft(const float2* in, float2* out, int logN)
{
    extern __shared__ float2 z[];
    const int n = 1 << logN, half = n >> 1;
    const int t = threadIdx.x;
    in += blockIdx.x * n;
    out += blockIdx.x * n;

    // bit-reversed gather
    z[2 * t]     = in[__brev(2 * t) >> (32 - logN)];
    z[2 * t + 1] = in[__brev(2 * t + 1) >> (32 - logN)];
    __syncthreads();

    for (int len = 1; len < n; len <<= 1) {
        const int k = t & (len - 1);
        const int pos = ((t - k) << 1) + k;
        float sn, cs;
        sincospif(-(float)k / len, &sn, &cs);
        float2 u = z[pos];
        float2 v = cmul(z[pos + len], make_float2(cs, sn));
        __syncthreads();
        z[pos]       = make_float2(u.x + v.x, u.y + v.y);
        z[pos + len] = make_float2(u.x - v.x, u.y - v.y);
        __syncthreads();
    }
    out[t]        = z[t];
    out[t + half] = z[t + half];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    int logN = 0;
    while ((1 << logN) < n && logN < 12) ++logN;
    if (n < 2 || n > 2048 || (1 << logN) != n) { printf("N must be a power of two, 2..2048\n"); return 2; }

    std::mt19937 gen(seed);
    std::uniform_real_distribution<float> uni(-1.f, 1.f);
    std::vector<float2> h(n * BATCH), g(n * BATCH);
    for (auto& c : h) { c.x = uni(gen); c.y = uni(gen); }

    float2 *dIn, *d_out;
    SAFE(cudaMalloc(&dIn, h.size() * sizeof(float2)));
    SAFE(cudaMalloc(&d_out, h.size() * sizeof(float2)));
    SAFE(cudaMemcpy(dIn, h.data(), h.size() * sizeof(float2), cudaMemcpyHostToDevice));
    fft<<<BATCH, n / 2, n * sizeof(float2)>>>(dIn, d_out, logN);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(g.data(), d_out, h.size() * sizeof(float2), cudaMemcpyDeviceToHost));

    std::vector<std::complex<double>> w(n);
    for (int i = 0; i < n; ++i) w[i] = std::polar(1.0, -2.0 * M_PI * i / n);
    double sum = 0;
    for (int b = 0; b < BATCH; ++b)
        for (int k = 0; k < n; ++k) {
            std::complex<double> acc = 0;
            for (int i = 0; i < n; ++i)
                acc += w[(long)i * k % n] * std::complex<double>(h[b * n + i].x, h[b * n + i].y);
            double err = std::abs(acc - std::complex<double>(g[b * n + k].x, g[b * n + k].y));
            if (!(err < 1e-3 * sqrt(n))) { printf("FAIL bin %d err %g\n", k, err); return 1; }
            sum += std::abs(acc);
        }
    printf("PASS %.3f\n", sum);
    SAFE(cudaFree(dIn)); SAFE(cudaFree(d_out));
    return 0;
}
