// Inclusive scan of independent segments, one segment per block.
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef unsigned int u32;

__global__ void scanSeg(const u32* in, u32* out, int n)
{
    __shared__ u32 s[256];
    __shared__ u32 tot[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, nw = blockDim.x >> 5;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 32; d *= 2) {
        u32 a = lane >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += a;
        __syncthreads();
    }
    if (lane == 31) tot[w] = s[t];
    __syncthreads();
    if (t == 0) {
        u32 run = 0;
        for (int k = 0; k < nw; ++k) {
            u32 c = tot[k];
            tot[k] = run;
            run += c;
        }
    }
    __syncthreads();
    if (i < n) out[i] = s[t] + tot[w];
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30;
    u32 seed = argc > 2 ? (u32)atoi(argv[2]) : 3;
    if (n <= 0 || n > 50000000) { fprintf(stderr, "usage: %s [n] [seed]\n", argv[0]); return 2; }
    int block = 32;
    while (block < n && block < 256) block *= 2;
    std::vector<u32> a(n), b(n);
    for (int i = 0; i < n; ++i) a[i] = (i * 40503u + seed * 977u) % 1000u;
    u32 *x, *y;
    cudaMalloc(&x, n * sizeof(u32)); cudaMalloc(&y, n * sizeof(u32));
    cudaMemcpy(x, a.data(), n * sizeof(u32), cudaMemcpyHostToDevice);
    scanSeg<<<(n + block - 1) / block, block>>>(x, y, n);
    if (cudaMemcpy(b.data(), y, n * sizeof(u32), cudaMemcpyDeviceToHost)) { puts("FAIL"); return 1; }
    u32 run = 0, chk = 0;
    for (int i = 0; i < n; ++i) {
        if (i % block == 0) run = 0;
        run += a[i];
        if (b[i] != run) { printf("FAIL %d\n", i); return 1; }
        chk = chk * 33 + run;
    }
    printf("PASS %u\n", chk);
    return 0;
}
