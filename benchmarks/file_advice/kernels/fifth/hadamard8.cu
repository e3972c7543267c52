// 8x8 integer Hadamard: all of each row, p rows along the column (p = 1, 2, 4, 8).
#include <cstdio>
#include <cstdlib>
#include <vector>
#define SGN(a, b, v) (__builtin_popcount((a) & (b)) & 1 ? -(v) : (v))

__global__ void hadamard(const int *in, int *out, int tiles, int p)
{
    __shared__ int s[8][8], r[8][8];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int q = blockIdx.x; q < tiles; q += gridDim.x) {
        s[y][x] = in[q * 64 + y * 8 + x];
        __syncthreads();
        int a = 0;
        for (int k = 0; k < 8; k++) a += (__popc(k & x) & 1) ? -s[y][k] : s[y][k];
        r[y][x] = a;
        __syncthreads();
        int b = 0, y0 = y & ~(p - 1);
        for (int k = 0; k < p; k++) b += (__popc(k & y) & 1) ? -r[y0 + k][x] : r[y0 + k][x];
        out[q * 64 + y * 8 + x] = b;
        __syncthreads();
    }
}

int main(int argc, char **argv)
{
    int tiles = argc > 1 ? atoi(argv[1]) : 60;
    int seed = argc > 2 ? abs(atoi(argv[2])) : 0;
    if (tiles < 1 || tiles > 500000) { puts("tiles 1..500000"); return 2; }
    int m = tiles * 64, p = 1 << (seed % 4);
    std::vector<int> a(m), o(m);
    for (int i = 0; i < m; i++) a[i] = int((i * 2654435761u + seed) >> 22) - 512;
    int *d, *e;
    cudaMalloc(&d, m * 4); cudaMalloc(&e, m * 4);
    cudaMemcpy(d, a.data(), m * 4, cudaMemcpyHostToDevice);
    hadamard<<<tiles < 100 ? tiles : 100, dim3(8, 8)>>>(d, e, tiles, p);
    if (cudaMemcpy(o.data(), e, m * 4, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long c = 0;
    for (int q = 0; q < tiles; q++) {
        int r[64];
        for (int i = 0; i < 64; i++) {
            r[i] = 0;
            for (int k = 0; k < 8; k++) r[i] += SGN(k, i % 8, a[q * 64 + i / 8 * 8 + k]);
        }
        for (int i = 0; i < 64; i++) {
            int y = i / 8, b = 0;
            for (int k = 0; k < p; k++) b += SGN(k, y, r[((y & ~(p - 1)) + k) * 8 + i % 8]);
            if (b != o[q * 64 + i]) { printf("FAIL tile %d\n", q); return 1; }
            c += (long long)b * (i + 1);
        }
    }
    printf("PASS %lld\n", c);
    return 0;
}
