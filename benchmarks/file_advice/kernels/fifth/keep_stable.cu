// Stable compaction inside a block: ballots, warp offsets, staging for coalesced stores.
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int kB = 128;

__global__ void keepStable(const int* in, int* out, int* cnt, int n, int limit)
{
    __shared__ int wcount[kB / 32];
    __shared__ int stage[kB];
    int t = threadIdx.x, w = t / 32, i = blockIdx.x * kB + t;
    int v = i < n ? in[i] : 0;
    bool keep = i < n && v < limit;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    __syncwarp();
    if (t % 32 == 0) wcount[w] = __popc(mask);
    __syncthreads();
    int off = 0, total = 0;
    for (int k = 0; k < kB / 32; ++k) {
        int c = wcount[k];
        if (k < w) off += c;
        total += c;
    }
    if (keep) stage[off + __popc(mask & ((1u << (t % 32)) - 1))] = v;
    __syncthreads();
    if (t < total) out[blockIdx.x * kB + t] = stage[t];
    if (t == 0) cnt[blockIdx.x] = total;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > (1 << 25)) { puts("bad size"); return 2; }
    int nb = (n + kB - 1) / kB, limit = 500;
    std::vector<int> a(n), o(nb * kB), c(nb);
    srand(seed);
    for (auto& x : a) x = rand() % (seed == 0 ? 500 : 1000);
    int *d1, *d2, *d3;
    cudaMalloc(&d1, n * 4); cudaMalloc(&d2, nb * kB * 4); cudaMalloc(&d3, nb * 4);
    cudaMemcpy(d1, a.data(), n * 4, cudaMemcpyHostToDevice);
    cudaMemset(d2, 0, nb * kB * 4);
    keepStable<<<nb, kB>>>(d1, d2, d3, n, limit);
    cudaMemcpy(o.data(), d2, nb * kB * 4, cudaMemcpyDeviceToHost);
    if (cudaMemcpy(c.data(), d3, nb * 4, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long s = 0;
    for (int b = 0; b < nb; ++b) {
        int k = 0;
        for (int i = b * kB; i < n && i < b * kB + kB; ++i)
            if (a[i] < limit && o[b * kB + k++] != a[i]) { printf("FAIL %d\n", i); return 1; }
        if (k != c[b]) { puts("FAIL count"); return 1; }
        for (int i = 0; i < k; ++i) s += (long long)o[b * kB + i] * (i + 1);
    }
    printf("PASS %lld\n", s);
    return 0;
}
