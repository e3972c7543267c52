// Fast Walsh-Hadamard transform, natural order, one element per thread.
// Short strides first, long strides (which only long vectors have) second.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

void chk(cudaError_t e) { if (e) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(1); } }

__global__ void fwht(const int* x, int* y)
{
    extern __shared__ int s[];
    const int t = threadIdx.x, n = blockDim.x;
    int v = x[blockIdx.x * n + t];

    for (int h = 1; h < n && h < 32; h *= 2) {
        s[t] = v;
        __syncthreads();
        int o = s[t ^ h];
        __syncthreads();
        v = (t & h) ? o - v : v + o;
    }
    for (int h = 32; h < n; h *= 2) {
        s[t] = v;
        __syncthreads();
        int o = s[t ^ h];
        __syncthreads();
        v = (t & h) ? o - v : v + o;
    }
    y[blockIdx.x * n + t] = v;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 32;
    unsigned seed = argc > 2 ? strtoul(argv[2], 0, 10) : 2024;
    if (n < 2 || n > 1024 || (n & (n - 1))) {
        fprintf(stderr, "vector length must be a power of two from 2 to 1024\n");
        return 2;
    }
    const int vectors = 50;
    std::vector<int> h(n * vectors), got(n * vectors);
    for (size_t i = 0; i < h.size(); i++) {
        unsigned z = (unsigned)i * 2654435761u + seed;
        z ^= z >> 15; z *= 0x2c1b3c6du; z ^= z >> 12;
        h[i] = (int)(z % 201) - 100;
    }
    int *dx, *dy;
    chk(cudaMalloc(&dx, h.size() * sizeof(int)));
    chk(cudaMalloc(&dy, h.size() * sizeof(int)));
    chk(cudaMemcpy(dx, h.data(), h.size() * sizeof(int), cudaMemcpyHostToDevice));
    fwht<<<vectors, n, n * sizeof(int)>>>(dx, dy);
    chk(cudaGetLastError());
    chk(cudaMemcpy(got.data(), dy, h.size() * sizeof(int), cudaMemcpyDeviceToHost));

    for (int v = 0; v < vectors; v++) {
        int* a = &h[v * n];
        for (int s = 1; s < n; s *= 2)
            for (int i = 0; i < n; i += 2 * s)
                for (int j = i; j < i + s; j++) {
                    int p = a[j], q = a[j + s];
                    a[j] = p + q; a[j + s] = p - q;
                }
    }
    if (h != got) { puts("FAIL"); return 1; }
    long long sum = 0;
    for (size_t i = 0; i < h.size(); i++) sum += (long long)h[i] * (long long)(i % 101);
    printf("PASS %lld\n", sum);
    chk(cudaFree(dx)); chk(cudaFree(dy));
    return 0;
}
