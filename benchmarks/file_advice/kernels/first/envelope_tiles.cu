// Peak envelope: each group of 16 samples is scaled by the larger of its own peak and
// the peak of the following group (cyclic in the block of 8 groups).
#include <algorithm>
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kGroup = 16;
constexpr int kGroups = 8;
constexpr int kThreads = kGroup * kGroups;

#define REQUIRE(x)                                                  \
    do {                                                            \
        cudaError_t rc = (x);                                       \
        if (rc != cudaSuccess) {                                    \
            std::printf("FAIL %s\n", cudaGetErrorString(rc));       \
            return 1;                                               \
        }                                                           \
    } while (false)

__global__ void envelope(const int* in, int* out, int n)
{
    __shared__ int s[kThreads];
    __shared__ int peak[kGroups];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<kGroup> tile = cg::tiled_partition<kGroup>(block);
    const int t = threadIdx.x;
    const int rank = tile.thread_rank();
    const int group = t / kGroup;

    for (int base = blockIdx.x * kThreads; base < n; base += gridDim.x * kThreads) {
        const int v = base + t < n ? in[base + t] : 0;
        int m = abs(v);
        s[t] = m;
        tile.sync();
        for (int d = kGroup / 2; d > 0; d >>= 1) {
            if (rank < d) {
                m = max(m, s[t + d]);
                s[t] = m;
            }
            tile.sync();
        }
        const int own = s[t - rank];
        block.sync();
        if (rank == 0) peak[group] = own;
        block.sync();
        const int next = peak[(group + 1) % kGroups];
        if (base + t < n) out[base + t] = v * 1000 / (max(own, next) + 1);
        block.sync();
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    unsigned r = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 8;
    if (n <= 0 || n > 8000000) {
        std::fprintf(stderr, "1..8000000 samples\n");
        return 2;
    }
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) {
        r = r * 134775813u + 1u;
        h[i] = int(r >> 20) % 2000 - 1000;
    }
    int *a, *b;
    REQUIRE(cudaMalloc(&a, n * sizeof(int)));
    REQUIRE(cudaMalloc(&b, n * sizeof(int)));
    REQUIRE(cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const int blocks = (n + kThreads - 1) / kThreads;
    envelope<<<blocks < 32 ? blocks : 32, kThreads>>>(a, b, n);
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaMemcpy(got.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));

    long long check = 0;
    for (int base = 0; base < n; base += kThreads) {
        int peak[kGroups] = {0};
        for (int t = 0; t < kThreads && base + t < n; ++t)
            peak[t / kGroup] = std::max(peak[t / kGroup], std::abs(h[base + t]));
        for (int t = 0; t < kThreads && base + t < n; ++t) {
            const int g = t / kGroup;
            const int want = h[base + t] * 1000 / (std::max(peak[g], peak[(g + 1) % kGroups]) + 1);
            if (got[base + t] != want) {
                std::printf("FAIL at sample %d\n", base + t);
                return 1;
            }
            check += want * (t + 1LL);
        }
    }
    std::printf("PASS %lld\n", check);
    return 0;
}
