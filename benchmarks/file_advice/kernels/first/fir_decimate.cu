// FIR low pass with optional decimation by 4 (long recordings only).
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define MAX_TAPS 16
#define BLOCK 128

struct Taps { int count; int h[MAX_TAPS]; };

#define CHK(x) if ((x) != cudaSuccess) { fprintf(stderr, "CUDA problem at %d\n", __LINE__); exit(1); }

__global__ void firDecimate(const int* in, int* out, int n, int m, Taps taps)
{
    __shared__ int x[BLOCK + MAX_TAPS - 1];
    __shared__ int y[BLOCK];
    const int t = threadIdx.x;
    const int first = blockIdx.x * BLOCK;

    // samples of this block, and the history in front of them
    x[t + MAX_TAPS - 1] = first + t < n ? in[first + t] : 0;
    if (t < MAX_TAPS - 1) {
        int i = first + t - (MAX_TAPS - 1);
        x[t] = i >= 0 ? in[i] : 0;
    }
    __syncthreads();

    int acc = 0;
    for (int k = 0; k < taps.count; ++k)
        acc += taps.h[k] * x[t + MAX_TAPS - 1 - k];
    __syncthreads();

    y[t] = acc;
    __syncthreads();
    if (t < BLOCK / m && first + t * m < n)
        out[first / m + t] = y[t * m];
}

int main(int argc, char** argv)
{
    int n = 8192;
    unsigned seed = 0;
    if (argc > 1) n = atoi(argv[1]);
    if (argc > 2) seed = strtoul(argv[2], 0, 10);
    if (n <= 0 || n > (1 << 22)) { fprintf(stderr, "samples: 1 to 4194304\n"); return 2; }

    Taps taps;
    taps.count = 1 + seed % MAX_TAPS;      // seed 0: gain only
    for (int k = 0; k < MAX_TAPS; ++k) taps.h[k] = 3 + (k * 5) % 7;
    const int m = n > 10000 ? 4 : 1;

    std::vector<int> in(n);
    for (int i = 0; i < n; ++i) in[i] = (int)((i * 40503u + seed * 977u) >> 4 & 2047) - 1024;
    const int nout = (n + m - 1) / m;
    std::vector<int> got(nout);

    int *dIn, *d_out;
    CHK(cudaMalloc(&dIn, n * sizeof(int)));
    CHK(cudaMalloc(&d_out, nout * sizeof(int)));
    CHK(cudaMemcpy(dIn, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    firDecimate<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dIn, d_out, n, m, taps);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(got.data(), d_out, nout * sizeof(int), cudaMemcpyDeviceToHost));

    long long check = 0;
    for (int o = 0; o < nout; ++o) {
        int acc = 0;
        for (int k = 0; k < taps.count; ++k)
            if (o * m - k >= 0) acc += taps.h[k] * in[o * m - k];
        if (acc != got[o]) { printf("FAIL %d: %d, expected %d\n", o, got[o], acc); return 1; }
        check += (long long)acc * (o % 5 + 1);
    }
    printf("PASS %lld\n", check);
    return 0;
}
