// 16x16 patches: blur along x, then fetch a row dy further down (wrapping).
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void patch(const int* in, int* out, int dy)
{
    __shared__ int s[16][16];
    __shared__ int r[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int g = blockIdx.x * 256 + ty * 16 + tx;
    s[ty][tx] = in[g];
    __syncthreads();
    int a = s[ty][max(tx - 1, 0)] + s[ty][tx] + s[ty][min(tx + 1, 15)];
    __syncthreads();
    r[ty][tx] = a;
    __syncthreads();
    out[g] = r[(ty + dy) & 15][tx];
}

int main(int argc, char** argv)
{
    int np = argc > 1 ? atoi(argv[1]) : 50;
    int seed = argc > 2 ? abs(atoi(argv[2])) : 0;
    if (np < 1 || np > 100000) { printf("patches 1..100000\n"); return 2; }
    int m = np * 256, dy = seed % 16;
    std::vector<int> a(m), o(m);
    for (int i = 0; i < m; ++i) a[i] = (i * 193 + seed * 7) % 1021;
    int *x, *y;
    cudaMalloc(&x, m * sizeof(int));
    cudaMalloc(&y, m * sizeof(int));
    cudaMemcpy(x, a.data(), m * sizeof(int), cudaMemcpyHostToDevice);
    patch<<<np, dim3(16, 16)>>>(x, y, dy);
    if (cudaMemcpy(o.data(), y, m * sizeof(int), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long c = 0;
    for (int i = 0; i < m; ++i) {
        int tx = i & 15, ty = (i >> 4) & 15, row = (i & ~255) + ((ty + dy) & 15) * 16;
        int e = a[row + (tx ? tx - 1 : 0)] + a[row + tx] + a[row + (tx < 15 ? tx + 1 : 15)];
        if (e != o[i]) { printf("FAIL %d\n", i); return 1; }
        c += (long long)e * (i % 19);
    }
    printf("PASS %lld\n", c);
    return 0;
}
