// Asian options by Monte Carlo on an integer lattice (so that host and device agree to the last bit).
// A block prices one option after another; its step table is rebuilt for each.
//   asian_lattice_mc [options] [seed]
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

constexpr int THREADS = 256, WARPS = THREADS / 32, STEPS = 48, PATHS = 512;

inline void HANDLE(cudaError_t e) { if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } }

__host__ __device__ inline unsigned mix(unsigned a, unsigned b)
{
    unsigned h = a * 0x85ebca6bu ^ (b + 0x9e3779b9u);
    h ^= h >> 13; h *= 0xc2b2ae35u; h ^= h >> 16;
    return h;
}
__host__ __device__ inline int tick(int option, int step) { return 3 + (option * 7 + step * 5) % 11; }

__global__ void asian(long long* price, int options, unsigned seed)
{
    __shared__ int ticks[STEPS];
    __shared__ long long warpSum[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (int o = blockIdx.x; o < options; o += gridDim.x) {
        for (int s = threadIdx.x; s < STEPS; s += THREADS)
            ticks[s] = tick(o, s);
        __syncthreads();

        long long pay = 0;
        for (int p = threadIdx.x; p < PATHS; p += THREADS) {
            int level = 1000;
            long long total = 0;
            for (int s = 0; s < STEPS; ++s) {
                int up = mix(seed + o * PATHS + p, s) & 1;
                int d = ticks[s];
                level += up ? d : -d;
                total += level;
            }
            long long gain = total - 1000LL * STEPS;
            if (gain > 0) pay += gain;
        }
        for (int off = 16; off > 0; off >>= 1)
            pay += __shfl_down_sync(0xffffffffu, pay, off);
        if (lane == 0) warpSum[warp] = pay;
        __syncthreads();

        if (warp == 0) {
            long long v = lane < WARPS ? warpSum[lane] : 0;
            for (int off = WARPS / 2; off > 0; off >>= 1)
                v += __shfl_down_sync(0xffffffffu, v, off);
            if (lane == 0) price[o] = v;
        }
        __syncthreads();      // ticks and warpSum are reused by the next option
    }
}

int main(int argc, char** argv)
{
    int options = argc > 1 ? atoi(argv[1]) : 40;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 123;
    if (options < 1 || options > 20000) { fprintf(stderr, "options: 1..20000\n"); return 2; }
    long long* d;
    std::vector<long long> got(options);
    HANDLE(cudaMalloc(&d, options * sizeof(long long)));
    asian<<<std::min(options, 64), THREADS>>>(d, options, seed);
    HANDLE(cudaGetLastError());
    HANDLE(cudaMemcpy(got.data(), d, options * sizeof(long long), cudaMemcpyDeviceToHost));
    HANDLE(cudaFree(d));

    unsigned long long sum = 0;
    for (int o = 0; o < options; ++o) {
        long long pay = 0;
        for (int p = 0; p < PATHS; ++p) {
            int level = 1000; long long total = 0;
            for (int s = 0; s < STEPS; ++s) {
                level += (mix(seed + o * PATHS + p, s) & 1) ? tick(o, s) : -tick(o, s);
                total += level;
            }
            pay += std::max(0LL, total - 1000LL * STEPS);
        }
        if (pay != got[o]) { printf("FAIL option %d: %lld, not %lld\n", o, got[o], pay); return 1; }
        sum = sum * 131 + (unsigned long long)pay;
    }
    printf("PASS %llu\n", sum);
    return 0;
}
