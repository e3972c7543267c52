// Row softmax, one block of 128 threads per row, textbook tree reductions.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>

constexpr int T = 128;
constexpr int kRows = 6;

__global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int n)
{
    __shared__ float red[T];
    const int tid = threadIdx.x;
    const float* row = x + (size_t)blockIdx.x * n;
    float* dst = y + (size_t)blockIdx.x * n;

    // 1. maximum
    float m = -INFINITY;
    for (int c = tid; c < n; c += T) m = fmaxf(m, row[c]);
    red[tid] = m;
    __syncthreads();
    for (int s = T / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();          // everybody has the max before red is reused

    // 2. sum of exponentials
    float sum = 0.f;
    for (int c = tid; c < n; c += T) sum += expf(row[c] - m);
    red[tid] = sum;
    __syncthreads();
    for (int s = T / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] += red[tid + s];
        __syncthreads();
    }
    const float inv = 1.f / red[0];
    __syncthreads();

    // 3. normalize
    for (int c = tid; c < n; c += T) dst[c] = expf(row[c] - m) * inv;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 300;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 11;
    if (n < 1 || n > (1 << 20)) { std::fprintf(stderr, "usage: softmax_rows [1..1048576] [seed]\n"); return 2; }
    std::srand(seed);
    std::vector<float> h((size_t)n * kRows), r(h.size());
    for (auto& v : h) v = (std::rand() % 2000 - 1000) * 0.005f;
    float *dx = nullptr, *dy = nullptr;
    const size_t bytes = h.size() * sizeof(float);
    if (cudaMalloc(&dx, bytes) || cudaMalloc(&dy, bytes)) { std::puts("FAIL"); return 1; }
    cudaMemcpy(dx, h.data(), bytes, cudaMemcpyHostToDevice);
    softmax<<<kRows, T>>>(dx, dy, n);
    if (cudaMemcpy(r.data(), dy, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) { std::puts("FAIL"); return 1; }

    double check = 0;
    for (int i = 0; i < kRows; ++i) {
        const float* p = &h[(size_t)i * n];
        double mx = *std::max_element(p, p + n), s = 0;
        for (int c = 0; c < n; ++c) s += std::exp(p[c] - mx);
        for (int c = 0; c < n; ++c) {
            double want = std::exp(p[c] - mx) / s, got = r[(size_t)i * n + c];
            if (!(std::fabs(want - got) <= 1e-4 * want + 1e-7)) { std::puts("FAIL"); return 1; }
            check += got * (c % 7);
        }
    }
    std::printf("PASS %.5f\n", check);
    cudaFree(dx); cudaFree(dy);
    return 0;
}
