// y = A*x, CSR, one warp per row, in the manner of Bell & Garland (2008) but
// with explicit warp barriers.  Integer values so that the check is exact.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void die(cudaError_t e, int line) { if (e) { fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e)); exit(1); } }
#define OK(e) die((e), __LINE__)

const int WARPS = 4;

__global__ void spmv_vector(int n, const int* __restrict__ ptr, const int* __restrict__ idx,
                            const int* __restrict__ val, const int* __restrict__ x, int* __restrict__ y)
{
    __shared__ int part[WARPS][32];
    __shared__ int range[WARPS][2];
    const int lane = threadIdx.x & 31;
    const int w = threadIdx.x >> 5;
    const int stride = gridDim.x * WARPS;

    for (int r = blockIdx.x * WARPS + w; r < n; r += stride) {
        if (lane < 2) range[w][lane] = ptr[r + lane];
        __syncwarp();
        const int lo = range[w][0];
        const int hi = range[w][1];

        int acc = 0;
        for (int j = lo + lane; j < hi; j += 32) acc += val[j] * x[idx[j]];
        part[w][lane] = acc;
        __syncwarp();
        for (int d = 16; d > 0; d >>= 1) {
            int t = lane < d ? part[w][lane + d] : 0;
            __syncwarp();                 // everybody has read
            if (lane < d) part[w][lane] += t;
            __syncwarp();
        }
        if (lane == 0) y[r] = part[w][0];
        __syncwarp();                     // before the slots are reused
    }
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    const unsigned seed = argc > 2 ? strtoul(argv[2], 0, 10) : 1;
    if (n <= 0 || n > (1 << 20)) { fprintf(stderr, "size must be 1..%d\n", 1 << 20); return 2; }
    srand(seed);
    std::vector<int> ptr(1, 0), idx, val, x(n), y(n), ref(n, 0);
    for (int i = 0; i < n; ++i) x[i] = rand() % 100 - 50;
    for (int r = 0; r < n; ++r) {
        int k = rand() % 8 == 0 ? rand() % 70 : rand() % 8;
        for (int j = 0; j < k; ++j) {
            idx.push_back(rand() % n); val.push_back(rand() % 19 - 9);
            ref[r] += val.back() * x[idx.back()];
        }
        ptr.push_back((int)idx.size());
    }
    size_t nz = idx.size();
    int *dp, *di, *dv, *dx, *dy;
    OK(cudaMalloc(&dp, (n + 1) * sizeof(int)));
    OK(cudaMalloc(&di, (nz + 1) * sizeof(int)));
    OK(cudaMalloc(&dv, (nz + 1) * sizeof(int)));
    OK(cudaMalloc(&dx, n * sizeof(int)));
    OK(cudaMalloc(&dy, n * sizeof(int)));
    OK(cudaMemcpy(dp, ptr.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice));
    if (nz) {
        OK(cudaMemcpy(di, idx.data(), nz * sizeof(int), cudaMemcpyHostToDevice));
        OK(cudaMemcpy(dv, val.data(), nz * sizeof(int), cudaMemcpyHostToDevice));
    }
    OK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int grid = (n + WARPS - 1) / WARPS;
    if (grid > 64) grid = 64;
    spmv_vector<<<grid, WARPS * 32>>>(n, dp, di, dv, dx, dy);
    OK(cudaGetLastError());
    OK(cudaMemcpy(y.data(), dy, n * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < n; ++i) {
        if (y[i] != ref[i]) { printf("FAIL\n"); return 1; }
        sum += (long long)y[i] * (i % 13 + 1);
    }
    printf("PASS %lld\n", sum);
    return 0;
}
