// Per-warp rows of 16 bins laid end to end; a value of 16 counts in the cell after the row.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define WARPS 8
#define BINS 16
#define CELLS (WARPS * BINS + 1)

__global__ void bins(const unsigned char* v, int n, unsigned* out)
{
    __shared__ unsigned h[CELLS];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (lane < BINS) h[w * BINS + lane] = 0;
    if (threadIdx.x == WARPS * 32 - 1) h[CELLS - 1] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[w * BINS + v[i]], 1u);
    __syncthreads();
    if (lane < BINS) atomicAdd(&out[w * BINS + lane], h[w * BINS + lane]);
    if (threadIdx.x == WARPS * 32 - 1) atomicAdd(&out[CELLS - 1], h[CELLS - 1]);
    __syncthreads();
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000;
    int seed = argc > 2 ? abs(atoi(argv[2])) : 0;
    if (n < 1 || n > (1 << 27)) { puts("bad n"); return 2; }
    std::vector<unsigned char> v(n);
    std::vector<unsigned> ref(CELLS, 0), got(CELLS);
    unsigned x = 12345u + seed;
    int range = seed == 0 ? 16 : 17;
    for (int i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        v[i] = (x >> 16) % range;
        ref[(i / 32) % WARPS * BINS + v[i]]++;
    }
    unsigned char* dv; unsigned* d_out;
    cudaMalloc(&dv, n);
    cudaMalloc(&d_out, CELLS * sizeof(unsigned));
    cudaMemcpy(dv, v.data(), n, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, CELLS * sizeof(unsigned));
    bins<<<(n + WARPS * 32 - 1) / (WARPS * 32), WARPS * 32>>>(dv, n, d_out);
    if (cudaMemcpy(got.data(), d_out, CELLS * sizeof(unsigned), cudaMemcpyDeviceToHost)) { puts("FAIL cuda"); return 1; }
    unsigned long long c = 0;
    for (int i = 0; i < CELLS; ++i) {
        if (got[i] != ref[i]) { printf("FAIL cell %d\n", i); return 1; }
        c += (unsigned long long)got[i] * (i + 1);
    }
    printf("PASS %llu\n", c);
    return 0;
}
