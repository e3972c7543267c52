/* Counts occurrences of a short pattern in a text.  Text tile plus halo and
   pattern go to shared memory; one start position per thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_runtime.h>

#define BS 256
#define MAXM 32

static void check(cudaError_t e, const char* what) {
    if (e != cudaSuccess) { fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

__global__ void match(const char* text, int n, const char* pat, int m, unsigned* blockCount)
{
    __shared__ char tile[BS + MAXM];
    __shared__ char p[MAXM];
    __shared__ unsigned found;
    int tid = threadIdx.x;
    int pos = blockIdx.x * BS + tid;

    if (tid == 0) found = 0;
    if (tid < m) p[tid] = pat[tid];
    __syncthreads();                       // pattern ready

    tile[tid] = pos < n ? text[pos] : 0;
    if (tid < m - 1)                       // halo
        tile[BS + tid] = pos + BS < n ? text[pos + BS] : 0;
    __syncthreads();                       // tile ready

    if (pos + m <= n) {
        int j = 0;
        while (j < m && tile[tid + j] == p[j]) ++j;
        if (j == m) atomicAdd(&found, 1u);
    }
    __syncthreads();
    if (tid == 0) blockCount[blockIdx.x] = found;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > 50000000) { fprintf(stderr, "text length 1..50000000\n"); return 2; }
    int m = 1 + (seed & 15);               /* pattern length */

    char* text = (char*)malloc(n);
    char pat[MAXM];
    unsigned s = (unsigned)seed * 747796405u + 2891336453u;
    for (int i = 0; i < n; ++i) { s = s * 1664525u + 1013904223u; text[i] = 'a' + ((s >> 24) & 1); }
    for (int j = 0; j < m; ++j) pat[j] = n >= m ? text[(n - m) / 2 + j] : 'a';

    int blocks = (n + BS - 1) / BS;
    char *dt, *dp; unsigned* dc;
    check(cudaMalloc((void**)&dt, n), "malloc");
    check(cudaMalloc((void**)&dp, MAXM), "malloc");
    check(cudaMalloc((void**)&dc, blocks * sizeof(unsigned)), "malloc");
    check(cudaMemcpy(dt, text, n, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(dp, pat, m, cudaMemcpyHostToDevice), "copy");
    match<<<blocks, BS>>>(dt, n, dp, m, dc);
    check(cudaGetLastError(), "launch");

    unsigned* hc = (unsigned*)malloc(blocks * sizeof(unsigned));
    check(cudaMemcpy(hc, dc, blocks * sizeof(unsigned), cudaMemcpyDeviceToHost), "copy back");
    unsigned long long got = 0, ref = 0;
    int bad = 0;
    for (int b = 0; b < blocks; ++b) {
        unsigned r = 0;
        for (int i = b * BS; i < (b + 1) * BS && i + m <= n; ++i) r += !memcmp(text + i, pat, m);
        if (r != hc[b]) bad = 1;
        got += hc[b]; ref += r;
    }
    if (bad || got != ref) { printf("FAIL\n"); return 1; }
    printf("PASS %llu\n", got);
    return 0;
}
