// Rank sort (enumeration sort) of n <= 1024 keys in one block of 256 threads.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <random>
#include <algorithm>

constexpr int kThreads = 256;
constexpr int kMax = 1024;
constexpr int kPer = kMax / kThreads;

__global__ void rank_sort(const unsigned* in, unsigned* out, int n)
{
    __shared__ unsigned key[kMax];
    __shared__ unsigned sorted[kMax];
    unsigned mine[kPer];
    int rank[kPer];

    for (int i = threadIdx.x; i < n; i += kThreads)
        key[i] = in[i];
    __syncthreads();

    for (int u = 0; u < kPer; ++u) {
        const int i = threadIdx.x + u * kThreads;
        if (i >= n) break;
        mine[u] = key[i];
        rank[u] = 0;
        for (int j = 0; j < n; ++j) {
            const unsigned other = key[j];
            rank[u] += other < mine[u] || (other == mine[u] && j < i);
        }
    }
    __syncthreads();            // all ranks computed before anything moves

    for (int u = 0; u < kPer; ++u)
        if (threadIdx.x + u * kThreads < n)
            sorted[rank[u]] = mine[u];
    __syncthreads();

    for (int i = threadIdx.x; i < n; i += kThreads)
        out[i] = sorted[i];
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 30;
    const int seed = argc > 2 ? std::atoi(argv[2]) : 0;
    if (n < 1 || n > kMax) { std::fprintf(stderr, "1 <= n <= %d\n", kMax); return 2; }

    // seed 0: ascending keys (best case for the CPU baseline)
    std::vector<unsigned> h(n), r(n);
    std::mt19937 gen(seed);
    for (int i = 0; i < n; ++i) h[i] = seed ? gen() % 777 : 3u * i;

    unsigned *a, *b;
    if (cudaMalloc(&a, n * sizeof(unsigned)) != cudaSuccess || cudaMalloc(&b, n * sizeof(unsigned)) != cudaSuccess) {
        std::puts("FAIL");
        return 1;
    }
    cudaMemcpy(a, h.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    rank_sort<<<1, kThreads>>>(a, b, n);
    if (cudaGetLastError() != cudaSuccess ||
        cudaMemcpy(r.data(), b, n * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) {
        std::puts("FAIL");
        return 1;
    }
    std::sort(h.begin(), h.end());
    if (h != r) { std::puts("FAIL"); return 1; }
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i) sum += (unsigned long long)r[i] * (i + 1);
    std::printf("PASS %llu\n", sum);
    return 0;
}
