// Histogram of the number of set bits per word. Every warp has its own 33 bins.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
constexpr int kWarps = 4;
constexpr int kBins = 33;

void ok(cudaError_t e, const char* msg)
{
    if (e != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", msg, cudaGetErrorString(e)); std::exit(1); }
}
}

__global__ void popHist(const uint32_t* words, int n, unsigned* hist)
{
    __shared__ unsigned bins[kWarps][kBins];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;

    for (int b = lane; b < kBins; b += 32)
        bins[warp][b] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[warp][__popc(words[i])], 1u);
    __syncthreads();

    if (threadIdx.x < kBins) {
        unsigned total = 0;
        for (int w = 0; w < kWarps; ++w)
            total += bins[w][threadIdx.x];
        if (total) atomicAdd(&hist[threadIdx.x], total);
    }
    __syncthreads();
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
    uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 77;
    if (n < 1 || n > 100000000) { std::fprintf(stderr, "1 <= words <= 1e8\n"); return 2; }
    std::vector<uint32_t> words(n);
    for (auto& w : words) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        w = (uint32_t)(seed >> 33) & ((seed & 0x1000000) ? 0xffffffffu : (uint32_t)(seed >> 20));
    }
    uint32_t* dw; unsigned* dh;
    ok(cudaMalloc(&dw, (size_t)n * 4), "malloc words");
    ok(cudaMalloc(&dh, kBins * 4), "malloc hist");
    ok(cudaMemset(dh, 0, kBins * 4), "memset");
    ok(cudaMemcpy(dw, words.data(), (size_t)n * 4, cudaMemcpyHostToDevice), "upload");
    popHist<<<16, kWarps * 32>>>(dw, n, dh);
    ok(cudaGetLastError(), "launch");
    unsigned got[kBins], ref[kBins] = {};
    ok(cudaMemcpy(got, dh, sizeof got, cudaMemcpyDeviceToHost), "download");
    for (uint32_t w : words) ++ref[__builtin_popcount(w)];
    unsigned long long sum = 0;
    for (int b = 0; b < kBins; ++b) {
        if (got[b] != ref[b]) { std::printf("FAIL bin %d\n", b); return 1; }
        sum += (unsigned long long)b * got[b];
    }
    std::printf("PASS %llu\n", sum);
    cudaFree(dw); cudaFree(dh);
    return 0;
}
