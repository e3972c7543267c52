// Softmax of 1000 rows of 1024 floats, one block of 1024 threads per row:
// warp shuffles, 32 partials through shared memory, a second shuffle round, broadcast from thread 0.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int ROWS = 1000, COLS = 1024;
#define FULL 0xffffffffu

__global__ void softmaxRow(const float *src, float *dst) {
    __shared__ float smax[32], ssum[32];
    int t = threadIdx.x, row = blockIdx.x;
    float m = -INFINITY;
    for (int i = t; i < COLS; i += blockDim.x) m = fmaxf(m, src[row * COLS + i]);
    for (int k = 16; k > 0; k /= 2) m = fmaxf(m, __shfl_xor_sync(FULL, m, k));
    if (t % 32 == 0) smax[t / 32] = m;
    __syncthreads();                                   // B1
    if (t < 32) m = smax[t];
    __syncthreads();                                   // B2
    for (int k = 16; k > 0; k /= 2) m = fmaxf(m, __shfl_xor_sync(FULL, m, k));
    if (t == 0) smax[0] = m;
    __syncthreads();                                   // B3
    m = smax[0];

    float s = 0.f;
    for (int i = t; i < COLS; i += blockDim.x) s += expf(src[row * COLS + i] - m);
    for (int k = 16; k > 0; k /= 2) s += __shfl_xor_sync(FULL, s, k);
    if (t % 32 == 0) ssum[t / 32] = s;
    __syncthreads();                                   // B4
    if (t < 32) s = ssum[t];
    __syncthreads();                                   // B5
    for (int k = 16; k > 0; k /= 2) s += __shfl_xor_sync(FULL, s, k);
    if (t == 0) ssum[0] = s;
    __syncthreads();                                   // B6
    s = ssum[0];
    for (int i = t; i < COLS; i += blockDim.x) dst[row * COLS + i] = expf(src[row * COLS + i] - m) / s;
}

int main() {
    std::vector<float> h(ROWS * COLS), o(ROWS * COLS);
    for (auto &v : h) v = 8.f * rand() / (float)RAND_MAX;
    float *ds, *dd;
    CK(cudaMalloc(&ds, h.size() * 4)); CK(cudaMalloc(&dd, h.size() * 4));
    CK(cudaMemcpy(ds, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    softmaxRow<<<ROWS, COLS>>>(ds, dd);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(o.data(), dd, h.size() * 4, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < ROWS; r++) {
        double m = -1e30, s = 0;
        for (int c = 0; c < COLS; c++) m = fmax(m, h[r * COLS + c]);
        for (int c = 0; c < COLS; c++) s += exp(h[r * COLS + c] - m);
        for (int c = 0; c < COLS; c++) if (fabs(exp(h[r * COLS + c] - m) / s - o[r * COLS + c]) > 1e-6) bad++;
    }
    printf("%s\n", bad ? "FAIL" : "ok");
}
