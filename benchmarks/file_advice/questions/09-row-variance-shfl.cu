// Variance of every row of a matrix, 16 threads per row, 32 rows per block (block 16x32).
// smem: the 16 partial sums of a row are folded in shared memory; shfl: folded with width-16 shuffles.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int ROWS = 10000, COLS = 1000, TX = 16, TY = 32;

template <bool SHFL>
__device__ float foldRow(float v, float (*buf)[TX]) {     // result valid for all 16 threads of the row
    if (SHFL) {
        for (int d = TX / 2; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d, TX);
        return __shfl_sync(0xffffffffu, v, 0, TX);
    }
    float *b = buf[threadIdx.y];
    b[threadIdx.x] = v;
    __syncthreads();
    for (int d = TX / 2; d > 0; d >>= 1) {
        if (threadIdx.x < d) b[threadIdx.x] += b[threadIdx.x + d];
        __syncthreads();
    }
    v = b[0];
    __syncthreads();
    return v;
}

template <bool SHFL>
__global__ void rowVar(const float *src, float *dst) {
    __shared__ float buf[TY][TX];
    for (int r0 = blockIdx.x * TY; r0 < ROWS; r0 += gridDim.x * TY) {
        int row = r0 + threadIdx.y;
        float s = 0.f;
        if (row < ROWS)
            for (int c = threadIdx.x; c < COLS; c += TX) s += src[row * COLS + c];
        float mean = foldRow<SHFL>(s, buf) / COLS;
        float q = 0.f;
        if (row < ROWS)
            for (int c = threadIdx.x; c < COLS; c += TX) {
                float d = src[row * COLS + c] - mean;
                q += d * d;
            }
        q = foldRow<SHFL>(q, buf);
        if (row < ROWS && threadIdx.x == 0) dst[row] = q / (COLS - 1);
    }
}

int main() {
    std::vector<float> h((size_t)ROWS * COLS), o(ROWS);
    for (auto &v : h) v = rand() / (float)RAND_MAX;
    float *ds, *dd;
    CK(cudaMalloc(&ds, h.size() * 4)); CK(cudaMalloc(&dd, ROWS * 4));
    CK(cudaMemcpy(ds, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    int grid = (ROWS + TY - 1) / TY;
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(dd, 0, ROWS * 4));
        if (ver) rowVar<true><<<grid, dim3(TX, TY)>>>(ds, dd);
        else     rowVar<false><<<grid, dim3(TX, TY)>>>(ds, dd);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), dd, ROWS * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int r = 0; r < ROWS; r++) {
            double m = 0, q = 0;
            for (int c = 0; c < COLS; c++) m += h[(size_t)r * COLS + c];
            m /= COLS;
            for (int c = 0; c < COLS; c++) { double d = h[(size_t)r * COLS + c] - m; q += d * d; }
            if (fabs(q / (COLS - 1) - o[r]) > 1e-4) bad++;
        }
        printf("%s: %s\n", ver ? "shfl" : "smem", bad ? "FAIL" : "ok");
    }
}
