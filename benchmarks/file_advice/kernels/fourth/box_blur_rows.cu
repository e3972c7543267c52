// Horizontal box blur of an 8-bit image. One block walks one row, tile by tile.
// usage: box_blur_rows [width] [seed]
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int TILE = 256;
constexpr int RADIUS = 3;

__global__ void boxBlurRow(const unsigned char* in, unsigned char* out, int width)
{
    __shared__ int seg[TILE + 2 * RADIUS];
    const int tid = threadIdx.x;
    const unsigned char* row = in + (size_t)blockIdx.x * width;
    unsigned char* dst = out + (size_t)blockIdx.x * width;

    for (int base = 0; base < width; base += TILE) {
        // tile plus halo, clamped at both ends of the row
        for (int i = tid; i < TILE + 2 * RADIUS; i += TILE) {
            int x = min(max(base + i - RADIUS, 0), width - 1);
            seg[i] = row[x];
        }
        __syncthreads();

        int acc = 0;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            acc += seg[tid + k];
        __syncthreads();

        if (base + tid < width)
            dst[base + tid] = (unsigned char)(acc / (2 * RADIUS + 1));
    }
}

int main(int argc, char** argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 200;
    unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
    if (width < 1 || width > 100000) { fprintf(stderr, "width must be in 1..100000\n"); return 2; }
    const int height = 37;
    size_t n = (size_t)width * height;
    std::vector<unsigned char> h(n), got(n);
    unsigned s = seed * 747796405u + 2891336453u;
    for (auto& p : h) { s = s * 1664525u + 1013904223u; p = s >> 24; }

    unsigned char *dIn, *d_out;
    CK(cudaMalloc(&dIn, n)); CK(cudaMalloc(&d_out, n));
    CK(cudaMemcpy(dIn, h.data(), n, cudaMemcpyHostToDevice));
    boxBlurRow<<<height, TILE>>>(dIn, d_out, width);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got.data(), d_out, n, cudaMemcpyDeviceToHost));

    unsigned long long sum = 0; bool ok = true;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            int acc = 0;
            for (int k = -RADIUS; k <= RADIUS; ++k)
                acc += h[(size_t)y * width + std::min(std::max(x + k, 0), width - 1)];
            unsigned char want = acc / (2 * RADIUS + 1);
            ok &= want == got[(size_t)y * width + x];
            sum = sum * 31 + want;
        }
    CK(cudaFree(dIn)); CK(cudaFree(d_out));
    if (!ok) { puts("FAIL"); return 1; }
    printf("PASS %llu\n", sum);
    return 0;
}
