// Boyer-Moore-Horspool on the GPU: the block builds the shift table, then each
// thread searches SPAN start positions of the text on its own.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define ALPHA 26
#define MAXPAT 12
#define TPB 64
#define SPAN 48

#define SAFE(c) { cudaError_t rc = c; if (rc != cudaSuccess) { fprintf(stderr, "error %d in line %d\n", (int)rc, __LINE__); exit(1); } }

__global__ void horspool(const char* text, int n, const char* pattern, int m, unsigned long long* hits)
{
    __shared__ int shift[ALPHA];
    __shared__ char pat[MAXPAT];
    __shared__ int blockHits;
    const int tid = threadIdx.x;

    if (tid == 0) blockHits = 0;
    for (int c = tid; c < ALPHA; c += TPB) shift[c] = m;
    if (tid < m) pat[tid] = pattern[tid];
    __syncthreads();
    if (tid < m - 1)                      // the rightmost occurrence wins
        atomicMin(&shift[pattern[tid] - 'a'], m - 1 - tid);
    __syncthreads();

    int start = (blockIdx.x * TPB + tid) * SPAN;
    int end = min(start + SPAN, n - m + 1);
    int mine = 0;
    while (start < end) {
        int j = m - 1;
        while (j >= 0 && text[start + j] == pat[j]) --j;
        mine += j < 0;
        start += shift[text[start + m - 1] - 'a'];
    }
    if (mine) atomicAdd(&blockHits, mine);
    __syncthreads();
    if (tid == 0 && blockHits)
        atomicAdd(hits, (unsigned long long)blockHits);
    __syncthreads();
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 30000;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (n < 1 || n > 30000000) { fprintf(stderr, "text length must be 1..30000000\n"); return 2; }
    int m = 1 + seed % MAXPAT;
    unsigned s = seed * 69069u + 5;
    auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 16; };
    std::string text(n, 'a'), pat(m, 'a');
    for (auto& c : text) c = 'a' + rnd() % (rnd() % 8 ? 3 : ALPHA);
    if (n >= m) pat = text.substr((n - m) / 3, m);

    char *dt, *dp;
    unsigned long long *dh, got = 0, ref = 0;
    SAFE(cudaMalloc(&dt, n));
    SAFE(cudaMalloc(&dp, m));
    SAFE(cudaMalloc(&dh, sizeof(got)));
    SAFE(cudaMemcpy(dt, text.data(), n, cudaMemcpyHostToDevice));
    SAFE(cudaMemcpy(dp, pat.data(), m, cudaMemcpyHostToDevice));
    SAFE(cudaMemset(dh, 0, sizeof(got)));
    int per = TPB * SPAN;
    horspool<<<(n + per - 1) / per, TPB>>>(dt, n, dp, m, dh);
    SAFE(cudaGetLastError());
    SAFE(cudaMemcpy(&got, dh, sizeof(got), cudaMemcpyDeviceToHost));

    for (size_t p = text.find(pat); p != std::string::npos; p = text.find(pat, p + 1)) ++ref;
    if (got != ref) { printf("FAIL\n"); return 1; }
    printf("PASS %llu\n", got);
    return 0;
}
