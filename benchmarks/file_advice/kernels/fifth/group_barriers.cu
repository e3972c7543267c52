// Groups of threads with a named barrier each; group size follows from n.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define NTH 256

__device__ __forceinline__ void group_sync(int id, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__global__ void groupMax(const int* v, int n, int gsize, int* out)
{
    __shared__ int s[NTH];
    int t = threadIdx.x, grp = t / gsize, p = t % gsize;
    int i = blockIdx.x * NTH + t;
    s[t] = i < n ? v[i] : -1;
    group_sync(grp + 1, gsize);
    for (int d = gsize / 2; d > 0; d /= 2) {
        if (p < d) s[t] = max(s[t], s[t + d]);
        group_sync(grp + 1, gsize);
    }
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < NTH; k += gsize) sum += s[k];
        out[blockIdx.x] = sum;
    }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2000;
    unsigned seed = argc > 2 ? atoi(argv[2]) : 4;
    if (n < 1 || n > (1 << 26)) { fprintf(stderr, "1 <= n <= 2^26\n"); return 2; }
    int gsize = n <= 4096 ? 32 : 128;
    int nb = (n + NTH - 1) / NTH;
    std::vector<int> a(n), o(nb);
    for (int i = 0; i < n; ++i) { seed = seed * 22695477u + 1; a[i] = (seed >> 10) % 100000; }
    int *d, *r;
    cudaMalloc(&d, n * sizeof(int)); cudaMalloc(&r, nb * sizeof(int));
    cudaMemcpy(d, a.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    groupMax<<<nb, NTH>>>(d, n, gsize, r);
    if (cudaMemcpy(o.data(), r, nb * sizeof(int), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    long long c = 0;
    for (int b = 0; b < nb; ++b) {
        int sum = 0;
        for (int k = b * NTH; k < b * NTH + NTH; k += gsize) {
            int m = -1;
            for (int i = k; i < k + gsize && i < n; ++i) m = a[i] > m ? a[i] : m;
            sum += m;
        }
        if (sum != o[b]) { printf("FAIL %d\n", b); return 1; }
        c += (long long)sum * (b + 1);
    }
    printf("PASS %lld\n", c);
    return 0;
}
