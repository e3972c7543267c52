// coordinate sparse matrix-vector product: a warp walks an interval of the nonzeros in
// steps of 32, with a segmented scan over row numbers and a carry between steps.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static inline void chk(cudaError_t e, const char* f, int l)
{
    if (e != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", f, l, cudaGetErrorString(e)); exit(1); }
}
#define CHK(e) chk((e), __FILE__, __LINE__)

constexpr int WPB = 4;

__global__ void coo_spmv(int nnz, int interval, const int* ri, const int* ci, const int* v, const int* x, int* y)
{
    __shared__ int rowBuf[WPB * 32];
    __shared__ int valBuf[WPB * 32];
    const int lane = threadIdx.x & 31;
    int* R = rowBuf + (threadIdx.x & ~31);
    int* V = valBuf + (threadIdx.x & ~31);
    const int warp = blockIdx.x * WPB + (threadIdx.x >> 5);
    const int lo = warp * interval;
    const int hi = min(lo + interval, nnz);

    if (lane == 31) { R[31] = -1; V[31] = 0; }
    __syncwarp();
    for (int base = lo; base < hi; base += 32) {
        const int k = base + lane;
        const int r = k < hi ? ri[k] : -1;
        int p = k < hi ? v[k] * x[ci[k]] : 0;
        if (lane == 0) {                                   // carry of the previous step
            int cr = R[31], cv = V[31];
            if (cr == r) p += cv;
            else if (cr >= 0) atomicAdd(&y[cr], cv);
        }
        __syncwarp();
        R[lane] = r;
        V[lane] = p;
        __syncwarp();
        for (int d = 1; d < 32; d *= 2) {
            int t = lane >= d && R[lane - d] == r ? V[lane - d] : 0;
            __syncwarp();
            p += t;
            V[lane] = p;
            __syncwarp();
        }
        if (lane < 31 && r >= 0 && R[lane + 1] != r) atomicAdd(&y[r], p);
        __syncwarp();
    }
    if (lane == 31 && R[31] >= 0) atomicAdd(&y[R[31]], V[31]);
}

int main(int argc, char** argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 400;
    int seed = argc > 2 ? atoi(argv[2]) : 0;
    if (rows < 1 || rows > 500000) { fprintf(stderr, "rows must lie in 1..500000\n"); return 2; }
    srand(seed);
    // seed 0: one nonzero per row, so no segment is longer than one
    std::vector<int> ri, ci, v, x(rows), y(rows), ref(rows, 0);
    for (int& e : x) e = rand() % 41 - 20;
    for (int r = 0; r < rows; ++r) {
        int len = seed == 0 ? 1 : rand() % 16 == 0 ? rand() % 100 : rand() % 5;
        for (int k = 0; k < len; ++k) {
            ri.push_back(r); ci.push_back(rand() % rows); v.push_back(rand() % 7 - 3);
            ref[r] += v.back() * x[ci.back()];
        }
    }
    int nnz = (int)ri.size();
    int warps = std::min(512, std::max(1, (nnz + 31) / 32));
    int interval = (nnz + warps - 1) / warps;
    interval = std::max(32, (interval + 31) / 32 * 32);
    size_t m = std::max(1, nnz);
    ri.resize(m); ci.resize(m); v.resize(m);

    int *dr, *dc, *dv, *dx, *dy;
    CHK(cudaMalloc(&dr, m * 4)); CHK(cudaMalloc(&dc, m * 4)); CHK(cudaMalloc(&dv, m * 4));
    CHK(cudaMalloc(&dx, rows * 4)); CHK(cudaMalloc(&dy, rows * 4));
    CHK(cudaMemcpy(dr, ri.data(), m * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dc, ci.data(), m * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dv, v.data(), m * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemcpy(dx, x.data(), rows * 4, cudaMemcpyHostToDevice));
    CHK(cudaMemset(dy, 0, rows * 4));
    coo_spmv<<<(warps + WPB - 1) / WPB, WPB * 32>>>(nnz, interval, dr, dc, dv, dx, dy);
    CHK(cudaGetLastError());
    CHK(cudaMemcpy(y.data(), dy, rows * 4, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int r = 0; r < rows; ++r) {
        if (y[r] != ref[r]) { printf("FAIL\n"); return 1; }
        sum += (long long)y[r] * (r % 9 + 1);
    }
    printf("PASS %lld\n", sum);
    return 0;
}
