// Sum and sum of squares of every row: a shuffle-based block reduction called twice with the same
// shared scratch (one block of 512 threads per row).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int BLOCK = 512, ROWS = 4096, COLS = 1024;

__device__ float warpSum(float v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__device__ float blockSum(float v, float *shared) {      // result valid in thread 0
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    v = warpSum(v);
    __syncthreads();                                     // B1
    if (lane == 0) shared[warp] = v;
    __syncthreads();                                     // B2
    v = threadIdx.x < BLOCK / 32 ? shared[lane] : 0.f;
    if (warp == 0) v = warpSum(v);
    return v;
}

__global__ void rowMoments(const float *x, float *mean, float *var) {
    __shared__ float scratch[32];
    int row = blockIdx.x;
    float s = 0.f, q = 0.f;
    for (int c = threadIdx.x; c < COLS; c += BLOCK) {
        float v = x[row * COLS + c];
        s += v;
        q += v * v;
    }
    s = blockSum(s, scratch);
    q = blockSum(q, scratch);
    if (threadIdx.x == 0) {
        float m = s / COLS;
        mean[row] = m;
        var[row] = q / COLS - m * m;
    }
}

int main() {
    std::vector<float> h((size_t)ROWS * COLS), m(ROWS), v(ROWS);
    for (auto &f : h) f = rand() / (float)RAND_MAX;
    float *dx, *dm, *dv;
    CK(cudaMalloc(&dx, h.size() * 4)); CK(cudaMalloc(&dm, ROWS * 4)); CK(cudaMalloc(&dv, ROWS * 4));
    CK(cudaMemcpy(dx, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    rowMoments<<<ROWS, BLOCK>>>(dx, dm, dv);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(m.data(), dm, ROWS * 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(v.data(), dv, ROWS * 4, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < ROWS; r++) {
        double s = 0, q = 0;
        for (int c = 0; c < COLS; c++) { double f = h[(size_t)r * COLS + c]; s += f; q += f * f; }
        s /= COLS;
        if (fabs(s - m[r]) > 1e-4 || fabs(q / COLS - s * s - v[r]) > 1e-4) bad++;
    }
    printf("%s\n", bad ? "FAIL" : "ok");
}
