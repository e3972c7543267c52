// Circular shift of every 128 sample tile (phase alignment of a periodic recording).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 128

static void die(cudaError_t err, int line) {
    if (err != cudaSuccess) {
        fprintf(stderr, "CUDA error line %d: %s\n", line, cudaGetErrorString(err));
        exit(1);
    }
}
#define CU(x) die((x), __LINE__)

__global__ void rotate_tiles(const int *in, int *out, int n, int shift)
{
    __shared__ int tile[TILE];
    int t = threadIdx.x;

    for (int base = blockIdx.x * TILE; base < n; base += gridDim.x * TILE) {
        int len = min(TILE, n - base);
        if (t < len)
            tile[t] = in[base + t];
        __syncthreads();
        if (t < len)
            out[base + t] = tile[(t + shift) % len];
        __syncthreads(); /* tile is reused */
    }
    __syncthreads();
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], 0, 10) : 0u;
    if (n < 1 || n > 4000000) { fprintf(stderr, "bad size\n"); return 2; }
    int shift = seed % TILE; /* seed 0: just a copy */

    int *h = (int *)malloc(n * sizeof(int)), *r = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) h[i] = (int)((i * 2654435761u + seed) >> 12);

    int *d_in, *d_out;
    CU(cudaMalloc(&d_in, n * sizeof(int)));
    CU(cudaMalloc(&d_out, n * sizeof(int)));
    CU(cudaMemcpy(d_in, h, n * sizeof(int), cudaMemcpyHostToDevice));
    int tiles = (n + TILE - 1) / TILE;
    rotate_tiles<<<tiles < 64 ? tiles : 64, TILE>>>(d_in, d_out, n, shift);
    CU(cudaGetLastError());
    CU(cudaMemcpy(r, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    unsigned sum = 0;
    for (int b = 0; b < n; b += TILE) {
        int len = n - b < TILE ? n - b : TILE;
        for (int t = 0; t < len; t++) {
            if (r[b + t] != h[b + (t + shift) % len]) { printf("FAIL at %d\n", b + t); return 1; }
            sum = sum * 31u + (unsigned)r[b + t];
        }
    }
    printf("PASS %u\n", sum);
    cudaFree(d_in); cudaFree(d_out); free(h); free(r);
    return 0;
}
