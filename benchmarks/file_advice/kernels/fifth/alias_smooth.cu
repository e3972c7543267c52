// Pairwise smoothing in shared memory, in place or out of place.
#include <cstdio>
#include <cstdlib>
#include <vector>
constexpr int NB = 128;

__device__ int smooth(const int* src, int* dst, int t)
{
    int v = src[t] + src[(t + 1) % NB];
    __syncthreads();
    dst[t] = v;
    __syncthreads();
    return dst[NB - 1 - t];
}

__global__ void smoothBlocks(const int* in, int* out, int n, int inplace)
{
    __shared__ int pool[2 * NB];
    int t = threadIdx.x, i = blockIdx.x * NB + t;
    pool[t] = i < n ? in[i] : 0;
    __syncthreads();
    int r = smooth(pool, inplace ? pool : pool + NB, t);
    if (i < n) out[i] = r;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const unsigned seed = argc > 2 ? atoi(argv[2]) : 11;
    if (n < 1 || n > (1 << 25)) { printf("unsupported size %d\n", n); return 2; }
    int blocks = (n + NB - 1) / NB;
    std::vector<int> a(blocks * NB, 0), o(n);
    for (int i = 0; i < n; ++i) a[i] = ((i + 1) * 48271u ^ seed) & 0xffff;
    int *p, *q;
    cudaMalloc(&p, n * sizeof(int));
    cudaMalloc(&q, n * sizeof(int));
    cudaMemcpy(p, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    smoothBlocks<<<blocks, NB>>>(p, q, n, n % 2); // odd sizes run in place
    if (cudaMemcpy(o.data(), q, n * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) { puts("FAIL copy"); return 1; }
    long long c = 0;
    for (int i = 0; i < n; ++i) {
        int b = i / NB * NB, m = NB - 1 - i % NB;
        if (o[i] != a[b + m] + a[b + (m + 1) % NB]) { printf("FAIL %d\n", i); return 1; }
        c += (long long)o[i] * (i % 7 + 1);
    }
    printf("PASS %lld\n", c);
    return 0;
}
