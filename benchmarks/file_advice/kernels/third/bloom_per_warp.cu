// One Bloom filter of 32 words per warp: lanes insert a key each, then test one.
// Long lists are processed in several rounds with a cleared filter each time.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define WORDS 32
#define TB 128
#define MAXGRID 32

static void ok(cudaError_t e) { if (e != cudaSuccess) { std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e)); std::exit(1); } }

// 10-bit position in the filter: word and bit
__host__ __device__ inline unsigned h1(unsigned k, unsigned mul) { return (k * mul) & 31; }
__host__ __device__ inline unsigned h2(unsigned k) { return (k * 0x9e3779b1u) >> 27; }

__global__ void bloom(const unsigned* keys, const unsigned* probes, unsigned char* maybe, unsigned* blockHits,
                      int n, unsigned mul)
{
    __shared__ unsigned filter[TB / 32][WORDS];
    __shared__ unsigned hits;
    const int lane = threadIdx.x & 31;
    unsigned* f = filter[threadIdx.x >> 5];
    if (threadIdx.x == 0) hits = 0;

    unsigned mine = 0;
    for (int base = blockIdx.x * TB; base < n; base += gridDim.x * TB) {
        const int i = base + threadIdx.x;
        f[lane] = 0;
        __syncthreads();              // filter is empty
        if (i < n) atomicOr(&f[h1(keys[i], mul)], 1u << h2(keys[i]));
        __syncthreads();              // filter is complete
        if (i < n) {
            unsigned m = f[h1(probes[i], mul)] >> h2(probes[i]) & 1;
            maybe[i] = (unsigned char)m;
            mine += m;
        }
        __syncthreads();              // before it is cleared again
    }
    __syncthreads();
    if (mine) atomicAdd(&hits, mine);
    __syncthreads();
    if (threadIdx.x == 0) blockHits[blockIdx.x] = hits;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 3000;
    const unsigned seed = argc > 2 ? (unsigned)std::atoi(argv[2]) : 0;
    if (n < 1 || n > 5000000) { std::fprintf(stderr, "n must be 1..5000000\n"); return 2; }
    // seed 0: keys and probes in order, identity hash into the words
    const unsigned mul = seed ? 2 * seed + 1 : 1;
    std::vector<unsigned> k(n), p(n);
    std::srand(seed);
    for (int i = 0; i < n; ++i) {
        k[i] = seed ? (unsigned)std::rand() : i;
        p[i] = seed ? (std::rand() % 3 ? k[i / 32 * 32 + std::rand() % (i % 32 + 1)] : (unsigned)std::rand()) : i;
    }
    std::vector<unsigned char> want(n), got(n);
    unsigned long long total = 0, sum = 0, gpuHits = 0;
    for (int w = 0; w < n; w += 32) {
        unsigned f[WORDS] = {};
        for (int i = w; i < n && i < w + 32; ++i) f[h1(k[i], mul)] |= 1u << h2(k[i]);
        for (int i = w; i < n && i < w + 32; ++i) { want[i] = f[h1(p[i], mul)] >> h2(p[i]) & 1; total += want[i]; }
    }
    unsigned *dk, *dp, *dh; unsigned char* dm;
    int grid = (n + TB - 1) / TB;
    if (grid > MAXGRID) grid = MAXGRID;
    ok(cudaMalloc(&dk, n * sizeof(unsigned)));
    ok(cudaMalloc(&dp, n * sizeof(unsigned)));
    ok(cudaMalloc(&dm, n));
    ok(cudaMalloc(&dh, grid * sizeof(unsigned)));
    ok(cudaMemcpy(dk, k.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    ok(cudaMemcpy(dp, p.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    bloom<<<grid, TB>>>(dk, dp, dm, dh, n, mul);
    ok(cudaGetLastError());
    std::vector<unsigned> hh(grid);
    ok(cudaMemcpy(got.data(), dm, n, cudaMemcpyDeviceToHost));
    ok(cudaMemcpy(hh.data(), dh, grid * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (unsigned h : hh) gpuHits += h;
    for (int i = 0; i < n; ++i) {
        if (got[i] != want[i]) { std::puts("FAIL"); return 1; }
        sum += got[i] * (1ull + i % 97);
    }
    if (gpuHits != total) { std::puts("FAIL"); return 1; }
    std::printf("PASS %llu\n", sum);
    return 0;
}
