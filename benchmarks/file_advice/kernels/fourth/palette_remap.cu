// Two small image kernels: tone curve through a table in shared memory, and a swizzle of 32-pixel groups.
//   palette_remap [pixels] [seed]     seed 0 is the ramp test picture
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <random>
#include <cuda_runtime.h>

typedef unsigned char byte;
#define BAIL(e) do { if (cudaError_t q = (e)) { fprintf(stderr, "%s: %s\n", #e, cudaGetErrorString(q)); exit(1); } } while (0)

__global__ void __launch_bounds__(256) toneCurve(const byte* img, const byte* curve, byte* out, int n)
{
    __shared__ byte lut[256];
    lut[threadIdx.x] = curve[threadIdx.x];
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        out[i] = lut[img[i]];
    __syncthreads();
}

// pixel k of a group of 32 goes to the place whose number is k with the five bits reversed
__global__ void swizzle32(const byte* img, byte* out, int n)
{
    __shared__ byte grp[128];
    const int t = threadIdx.x, lane = t & 31, first = t - lane;
    const int groups = (n + 31) / 32;
    for (int g = blockIdx.x * 4 + first / 32; g - first / 32 < groups; g += gridDim.x * 4) {
        const int i = g * 32 + lane;
        grp[t] = i < n ? img[i] : 0;
        __syncthreads();
        const byte v = grp[first + (__brev(lane) >> 27)];
        __syncthreads();
        if (g < groups) out[i] = v;          // out is padded to full groups
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 5000;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 0;
    if (n < 1 || n > 100000000) { fprintf(stderr, "pixels: 1..1e8\n"); return 2; }
    const int padded = (n + 31) / 32 * 32;
    std::vector<byte> img(n), curve(256), got(padded);
    std::minstd_rand gen(seed + 1);
    for (int i = 0; i < n; ++i) img[i] = seed ? gen() >> 7 : i;
    for (int v = 0; v < 256; ++v) curve[v] = 255 - v * v / 255;

    byte *dImg, *dCurve, *dTone, *d_out;
    BAIL(cudaMalloc(&dImg, n)); BAIL(cudaMalloc(&dCurve, 256));
    BAIL(cudaMalloc(&dTone, n)); BAIL(cudaMalloc(&d_out, padded));
    BAIL(cudaMemcpy(dImg, img.data(), n, cudaMemcpyHostToDevice));
    BAIL(cudaMemcpy(dCurve, curve.data(), 256, cudaMemcpyHostToDevice));
    toneCurve<<<8, 256>>>(dImg, dCurve, dTone, n);
    BAIL(cudaGetLastError());
    swizzle32<<<12, 128>>>(dTone, d_out, n);
    BAIL(cudaGetLastError());
    BAIL(cudaMemcpy(got.data(), d_out, padded, cudaMemcpyDeviceToHost));

    unsigned long long sum = 0;
    for (int i = 0; i < padded; ++i) {
        int l = i & 31;
        int src = i - l + ((l & 1) << 4 | (l & 2) << 2 | (l & 4) | (l & 8) >> 2 | l >> 4);
        byte want = src < n ? curve[img[src]] : 0;
        if (want != got[i]) { printf("FAIL pixel %d\n", i); return 1; }
        sum = sum * 33 + want;
    }
    printf("PASS %llu\n", sum);
    BAIL(cudaFree(dImg)); BAIL(cudaFree(dCurve)); BAIL(cudaFree(dTone)); BAIL(cudaFree(d_out));
    return 0;
}
