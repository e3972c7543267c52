// Collect odd values of a chunk through a shared ticket counter that runs on over the iterations.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define THREADS 128
#define CHUNK 1024

__global__ void pack_odd(const unsigned *v, int n, unsigned *count, unsigned long long *mix)
{
    __shared__ unsigned ticket;
    __shared__ unsigned keep[CHUNK];
    if (threadIdx.x == 0) ticket = 0;
    __syncthreads();
    int lo = blockIdx.x * CHUNK, hi = min(lo + CHUNK, n);
    for (int b = lo; b < hi; b += THREADS) {
        int i = b + threadIdx.x;
        if (i < hi && (v[i] & 1)) {
            unsigned slot = atomicAdd(&ticket, 1u);
            keep[slot] = v[i];
        }
        __syncthreads(); // keep iterations together
    }
    __syncthreads();
    unsigned m = ticket;
    unsigned long long local = 0;
    for (unsigned k = threadIdx.x; k < m; k += THREADS)
        local += (unsigned long long)keep[k] * keep[k];
    atomicAdd(mix, local);
    if (threadIdx.x == 0) atomicAdd(count, m);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
    if (n < 1 || n > 100000000) { fprintf(stderr, "n out of range\n"); return 2; }
    std::vector<unsigned> v(n);
    unsigned c = 0; unsigned long long m = 0;
    for (int i = 0; i < n; i++) {
        v[i] = seed ? ((i * 2246822519u + seed) >> 12) : 2u * i; /* seed 0: no odd value */
        if (v[i] & 1) { c++; m += (unsigned long long)v[i] * v[i]; }
    }
    unsigned *dv, *dc; unsigned long long *dm;
    cudaMalloc(&dv, n * sizeof(unsigned)); cudaMalloc(&dc, sizeof *dc); cudaMalloc(&dm, sizeof *dm);
    cudaMemset(dc, 0, sizeof *dc); cudaMemset(dm, 0, sizeof *dm);
    cudaMemcpy(dv, v.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
    pack_odd<<<(n + CHUNK - 1) / CHUNK, THREADS>>>(dv, n, dc, dm);
    unsigned gc; unsigned long long gm;
    cudaMemcpy(&gc, dc, sizeof gc, cudaMemcpyDeviceToHost);
    if (cudaMemcpy(&gm, dm, sizeof gm, cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    if (gc != c || gm != m) { printf("FAIL %u %u\n", gc, c); return 1; }
    printf("PASS %llu\n", m + c);
    return 0;
}
