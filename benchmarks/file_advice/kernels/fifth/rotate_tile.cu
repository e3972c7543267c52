// Cyclic shift inside every tile of 256 ints (tail tile shorter).
#include <cstdio>
#include <cstdlib>
#include <vector>
#define TILE 256

__global__ void rotateTile(const int *src, int *dst, int n, int shift)
{
    __shared__ int tile[TILE];
    int t = threadIdx.x;
    int base = blockIdx.x * TILE;
    int len = min(TILE, n - base);
    __syncthreads(); // everyone here before the fill
    if (t < len)
        tile[t] = src[base + t];
    __syncthreads();
    if (t < len)
        dst[base + t] = tile[(t + shift) % len];
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 5000;
    unsigned seed = (argc > 2) ? (unsigned)atoi(argv[2]) : 0u;
    if (n < 1 || n > (1 << 26)) { fprintf(stderr, "n must be 1..2^26\n"); return 2; }
    int shift = seed % TILE;
    std::vector<int> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = i * 7 + (i >> 5) + (int)seed;
    int *d;
    if (cudaMalloc(&d, 2 * sizeof(int) * (size_t)n)) { puts("FAIL alloc"); return 1; }
    cudaMemcpy(d, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    rotateTile<<<(n + TILE - 1) / TILE, TILE>>>(d, d + n, n, shift);
    if (cudaMemcpy(b.data(), d + n, n * sizeof(int), cudaMemcpyDeviceToHost)) { puts("FAIL copy"); return 1; }
    long long c = 0;
    for (int i = 0; i < n; i++) {
        int base = i / TILE * TILE, len = n - base < TILE ? n - base : TILE;
        if (b[i] != a[base + (i - base + shift) % len]) { printf("FAIL %d\n", i); return 1; }
        c += (long long)b[i] * (i % 13);
    }
    printf("PASS %lld\n", c);
    cudaFree(d);
    return 0;
}
