// Circular shift of 16x16 tiles (as in windowed attention): first along x, then along y.
// The shifts come from the seed; seed 0 is the unshifted case.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { W = 16 };

#define CU(x) do { cudaError_t st = (x); if (st != cudaSuccess) { \
    fprintf(stderr, "%s -> %s\n", #x, cudaGetErrorString(st)); exit(1); } } while (0)

__global__ void roll2d(const short* in, short* out, int sx, int sy)
{
    __shared__ short t[W][W];
    const int x = threadIdx.x, y = threadIdx.y;
    const size_t base = (size_t)blockIdx.x * W * W;

    t[y][x] = in[base + y * W + x];
    __syncthreads();

    const short v = t[y][(x + sx) % W];      // along x, in place
    __syncthreads();
    t[y][x] = v;
    __syncthreads();

    const short r = t[(y + sy) % W][x];      // along y
    __syncthreads();
    out[base + y * W + x] = r;
}

int main(int argc, char** argv)
{
    const int tiles = argc > 1 ? atoi(argv[1]) : 12;
    const unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 0u;
    if (tiles <= 0 || tiles > 1000000) {
        fprintf(stderr, "usage: %s [tiles 1..1000000] [seed]\n", argv[0]);
        return 2;
    }
    const int sx = (int)(seed % W);
    const int sy = (int)(seed / W % W);
    const size_t cnt = (size_t)tiles * W * W;
    std::vector<short> h(cnt), g(cnt);
    unsigned z = 2463534242u + seed;
    for (auto& e : h) {
        z ^= z << 13; z ^= z >> 17; z ^= z << 5;
        e = (short)(z % 20000);
    }
    short *a, *b;
    CU(cudaMalloc(&a, cnt * sizeof(short)));
    CU(cudaMalloc(&b, cnt * sizeof(short)));
    CU(cudaMemcpy(a, h.data(), cnt * sizeof(short), cudaMemcpyHostToDevice));
    roll2d<<<tiles, dim3(W, W)>>>(a, b, sx, sy);
    CU(cudaGetLastError());
    CU(cudaMemcpy(g.data(), b, cnt * sizeof(short), cudaMemcpyDeviceToHost));
    CU(cudaFree(a));
    CU(cudaFree(b));

    long long sum = 0;
    for (int t = 0; t < tiles; ++t)
        for (int y = 0; y < W; ++y)
            for (int x = 0; x < W; ++x) {
                const size_t o = (size_t)t * W * W;
                if (g[o + y * W + x] != h[o + (y + sy) % W * W + (x + sx) % W]) { printf("FAIL\n"); return 1; }
                sum += (long long)g[o + y * W + x] * (y * W + x + 1);
            }
    printf("PASS %lld\n", sum);
    return 0;
}
