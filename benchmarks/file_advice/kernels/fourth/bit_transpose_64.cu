// Transposes 64 x 64 bit matrices. Two warps share one matrix, one 64-bit row per thread, and
// meet at a named barrier of their own, so that pairs of warps do not wait for each other.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;
#define PAIRS 3
#define NT (PAIRS * 64)

#define CUDA(x) do { cudaError_t r = (x); if (r != cudaSuccess) { \
    fprintf(stderr, "%s in line %d\n", cudaGetErrorString(r), __LINE__); exit(EXIT_FAILURE); } } while (0)

__device__ __forceinline__ u64 merge(u64 own, u64 other, int k, bool high)
{
    // mask of the columns whose bit k is clear
    u64 m = 0;
    switch (k) {
        case 32: m = 0x00000000ffffffffull; break;
        case 16: m = 0x0000ffff0000ffffull; break;
        case 8:  m = 0x00ff00ff00ff00ffull; break;
        case 4:  m = 0x0f0f0f0f0f0f0f0full; break;
        case 2:  m = 0x3333333333333333ull; break;
        default: m = 0x5555555555555555ull; break;
    }
    return high ? (own & ~m) | ((other & ~m) >> k) : (own & m) | ((other & m) << k);
}

__global__ void transpose64(const u64* in, u64* out, int count)
{
    __shared__ u64 rows[PAIRS][64];
    const int pair = threadIdx.x / 64, r = threadIdx.x % 64;
    const int bar = pair + 1;                       // barrier 0 belongs to __syncthreads
    const int matrix = blockIdx.x * PAIRS + pair;
    u64 x = matrix < count ? in[(size_t)matrix * 64 + r] : 0;

    rows[pair][r] = x;
    asm volatile("bar.sync %0, 64;" :: "r"(bar) : "memory");
    u64 y = rows[pair][r ^ 32];
    asm volatile("bar.sync %0, 64;" :: "r"(bar) : "memory");
    x = merge(x, y, 32, r & 32);

    for (int k = 16; k > 0; k >>= 1) {
        rows[pair][r] = x;
        asm volatile("bar.sync %0, 64;" :: "r"(bar) : "memory");
        y = rows[pair][r ^ k];
        asm volatile("bar.sync %0, 64;" :: "r"(bar) : "memory");
        x = merge(x, y, k, r & k);
    }
    __syncthreads();
    if (matrix < count) out[(size_t)matrix * 64 + r] = x;
}

int main(int argc, char** argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 40;
    u64 seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (count <= 0 || count > 200000) { fprintf(stderr, "matrices: 1 to 200000\n"); return 2; }
    size_t n = (size_t)count * 64;
    std::vector<u64> h(n), g(n);
    u64 s = seed * 0x9e3779b97f4a7c15ull + 1;
    for (size_t i = 0; i < n; ++i) {
        s ^= s << 7; s ^= s >> 9;
        h[i] = s;
    }
    u64 *a, *b;
    CUDA(cudaMalloc((void**)&a, n * 8));
    CUDA(cudaMalloc((void**)&b, n * 8));
    CUDA(cudaMemcpy(a, &h[0], n * 8, cudaMemcpyHostToDevice));
    transpose64<<<(count + PAIRS - 1) / PAIRS, NT>>>(a, b, count);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(&g[0], b, n * 8, cudaMemcpyDeviceToHost));
    u64 sum = 0;
    for (int m = 0; m < count; ++m)
        for (int c = 0; c < 64; ++c) {
            u64 want = 0;
            for (int r = 0; r < 64; ++r) want |= ((h[(size_t)m * 64 + r] >> c) & 1) << r;
            if (want != g[(size_t)m * 64 + c]) { printf("FAIL matrix %d row %d\n", m, c); return 1; }
            sum = sum * 1099511628211ull + want;
        }
    printf("PASS %llx\n", sum);
    CUDA(cudaFree(a)); CUDA(cudaFree(b));
    return 0;
}
