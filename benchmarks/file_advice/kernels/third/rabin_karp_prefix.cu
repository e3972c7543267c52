// Rabin-Karp with prefix hashes.  The block computes a prefix sum of
// t[i]*B^i (mod 2^32) over its tile; the hash of every window is then a
// difference of two prefixes, compared with hash(pattern)*B^i.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr uint32_t B = 1000003u;
constexpr int TILE = 256;
constexpr int MAXM = 16;
constexpr int STEP = TILE - MAXM + 1;        // start positions per block

#define REQUIRE(c) do { cudaError_t rc = (c); if (rc != cudaSuccess) { \
    std::fprintf(stderr, "[%d] %s\n", __LINE__, cudaGetErrorName(rc)); std::exit(1); } } while (0)

__global__ void window_hash(const uint8_t* text, int n, int m, uint32_t target, uint8_t* hit)
{
    __shared__ uint32_t h[2][TILE];
    const int i = threadIdx.x;
    const int pos = blockIdx.x * STEP + i;

    uint32_t pw = 1;                         // B^i by squaring
    for (uint32_t b = B, e = i; e; e >>= 1, b *= b) if (e & 1) pw *= b;

    int cur = 0;
    h[cur][i] = pos < n ? text[pos] * pw : 0;
    __syncthreads();
    for (int d = 1; d < TILE; d *= 2) {
        uint32_t v = h[cur][i];
        if (i >= d) v += h[cur][i - d];
        h[cur ^ 1][i] = v;
        cur ^= 1;
        __syncthreads();
    }
    __syncthreads();                         // scan finished

    if (i < STEP && pos + m <= n) {
        uint32_t hi = h[cur][i + m - 1];
        uint32_t lo = i ? h[cur][i - 1] : 0;
        hit[pos] = (hi - lo) == target * pw;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? std::atoi(argv[1]) : 20000;
    uint32_t seed = argc > 2 ? (uint32_t)std::atoi(argv[2]) : 0;
    if (n < 1 || n > 10000000) { std::fprintf(stderr, "n out of range 1..10000000\n"); return 2; }
    int m = 1 + seed % MAXM;
    std::vector<uint8_t> text(n), hit(n, 0);
    uint32_t s = seed ^ 0x9e3779b9u;
    for (auto& c : text) { s = s * 22695477u + 1; c = (s >> 20) & 3; }
    std::vector<uint8_t> pat(m, 1);
    if (n >= m) for (int j = 0; j < m; ++j) pat[j] = text[n / 2 + j < n ? n / 2 + j : j];
    uint32_t target = 0, pw = 1;
    for (int j = 0; j < m; ++j, pw *= B) target += pat[j] * pw;

    uint8_t *dt, *dh;
    REQUIRE(cudaMalloc(&dt, n));
    REQUIRE(cudaMalloc(&dh, n));
    REQUIRE(cudaMemcpy(dt, text.data(), n, cudaMemcpyHostToDevice));
    REQUIRE(cudaMemset(dh, 0, n));
    window_hash<<<(n + STEP - 1) / STEP, TILE>>>(dt, n, m, target, dh);
    REQUIRE(cudaGetLastError());
    REQUIRE(cudaMemcpy(hit.data(), dh, n, cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (int p = 0; p < n; ++p) {
        uint8_t want = 0;
        if (p + m <= n) {
            uint32_t h = 0, q = 1;
            for (int j = 0; j < m; ++j, q *= B) h += text[p + j] * q;
            want = h == target;
        }
        if (hit[p] != want) { std::printf("FAIL\n"); return 1; }
        sum += want * (unsigned long long)(p + 1);
    }
    std::printf("PASS %llu\n", sum);
    return 0;
}
