// B = P A Q for a stack of 32x32 tiles: rows by perm p, columns by perm q (same for all tiles).
// seed 0 means "no reordering".
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>
#include <algorithm>

constexpr int S = 32, RY = 4;

#define CHECK(x)                                                       \
    do {                                                               \
        cudaError_t _e = (x);                                          \
        if (_e != cudaSuccess) {                                       \
            printf("FAIL (%s)\n", cudaGetErrorString(_e));             \
            return 1;                                                  \
        }                                                              \
    } while (0)

__global__ void reorder(const int* in, int* out, const int* p, const int* q)
{
    __shared__ int ps[S];
    __shared__ int a[S][S];
    __shared__ int b[S][S];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const size_t off = (size_t)blockIdx.x * S * S;

    if (ty == 0) ps[tx] = p[tx];
    for (int r = ty; r < S; r += RY)
        a[r][tx] = in[off + r * S + tx];
    __syncthreads();

    for (int r = ty; r < S; r += RY) {
        const int src = ps[r];
        b[r][tx] = a[src][tx];
    }
    __syncthreads();

    const int c = q[tx];
    for (int r = ty; r < S; r += RY)
        out[off + r * S + tx] = b[r][c];
    __syncthreads();
}

int main(int argc, char** argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 5;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (tiles < 1 || tiles > 65535) { fprintf(stderr, "tiles must be between 1 and 65535\n"); return 2; }

    std::vector<int> p(S), q(S);
    std::iota(p.begin(), p.end(), 0);
    std::iota(q.begin(), q.end(), 0);
    std::mt19937 rng(seed);
    if (seed != 0) {
        std::shuffle(p.begin(), p.end(), rng);
        std::shuffle(q.begin(), q.end(), rng);
    }
    const size_t cnt = (size_t)tiles * S * S;
    std::vector<int> h(cnt), g(cnt);
    for (auto& v : h) v = (int)(rng() % 100000);

    int *din, *d_out, *dp, *dq;
    CHECK(cudaMalloc(&din, cnt * 4));
    CHECK(cudaMalloc(&d_out, cnt * 4));
    CHECK(cudaMalloc(&dp, S * 4));
    CHECK(cudaMalloc(&dq, S * 4));
    CHECK(cudaMemcpy(din, h.data(), cnt * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dp, p.data(), S * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dq, q.data(), S * 4, cudaMemcpyHostToDevice));
    reorder<<<tiles, dim3(S, RY)>>>(din, d_out, dp, dq);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(g.data(), d_out, cnt * 4, cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (int t = 0; t < tiles; ++t)
        for (int r = 0; r < S; ++r)
            for (int c = 0; c < S; ++c) {
                int got = g[(size_t)t * S * S + r * S + c];
                if (got != h[(size_t)t * S * S + p[r] * S + q[c]]) { printf("FAIL\n"); return 1; }
                sum = sum * 131 + got;
            }
    printf("PASS %llu\n", sum);
    return 0;
}
