// Top-k per row by repeated arg-max; one block of 128 threads per row, k = 1% of the row (at least 1).
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <random>
#include <algorithm>

typedef unsigned long long u64;
constexpr int T = 128, MAXC = 1600, ROWS = 8;

__device__ __host__ inline u64 pack(unsigned v, unsigned idx) { return (u64)v << 32 | (0xffffffffu - idx); }

__global__ void topk(const unsigned* x, unsigned* idx, int n, int k)
{
    __shared__ unsigned v[MAXC];
    __shared__ u64 best[T];
    const int tid = threadIdx.x;

    for (int c = tid; c < n; c += T) v[c] = x[blockIdx.x * n + c];
    __syncthreads();

    for (int r = 0; r < k; ++r) {
        u64 b = 0;
        for (int c = tid; c < n; c += T) {
            const u64 cand = pack(v[c], c);
            if (cand > b) b = cand;
        }
        best[tid] = b;
        __syncthreads();

        for (int s = T / 2; s > 0; s >>= 1) {
            if (tid < s && best[tid + s] > best[tid])
                best[tid] = best[tid + s];
            __syncthreads();
        }

        if (tid == 0) {
            const unsigned w = 0xffffffffu - (unsigned)best[0];
            idx[blockIdx.x * k + r] = w;
            v[w] = 0;                       // out of the race
        }
        __syncthreads();
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 60;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 3;
    if (n < 1 || n > MAXC) { std::fprintf(stderr, "row length 1..%d\n", MAXC); return 2; }
    const int k = std::max(1, n / 100);
    std::mt19937 gen(seed);
    std::vector<unsigned> h(ROWS * n), r(ROWS * k);
    for (auto& e : h) e = 1 + gen() % 500;          // 0 is reserved

    unsigned *dx, *di;
    if (cudaMalloc(&dx, h.size() * 4) || cudaMalloc(&di, r.size() * 4) ||
        cudaMemcpy(dx, h.data(), h.size() * 4, cudaMemcpyHostToDevice)) { std::printf("FAIL\n"); return 1; }
    topk<<<ROWS, T>>>(dx, di, n, k);
    if (cudaGetLastError() || cudaMemcpy(r.data(), di, r.size() * 4, cudaMemcpyDeviceToHost)) {
        std::printf("FAIL\n");
        return 1;
    }
    unsigned long long sum = 0;
    for (int row = 0; row < ROWS; ++row) {
        std::vector<u64> p(n);
        for (int c = 0; c < n; ++c) p[c] = pack(h[row * n + c], c);
        std::sort(p.rbegin(), p.rend());
        for (int i = 0; i < k; ++i) {
            unsigned want = 0xffffffffu - (unsigned)p[i];
            if (r[row * k + i] != want) { std::printf("FAIL\n"); return 1; }
            sum = sum * 17 + want;
        }
    }
    std::printf("PASS %llu\n", sum);
    return 0;
}
