// clean
#include <cstdio>
struct Stats { float mean, var; };
__device__ float blockSum(float v, float *s) {
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    float r = s[0];
    __syncthreads();
    return r;
}
__global__ void normalize(const float *x, Stats *stats, int cols) {
    __shared__ float s[64];
    const float *row = x + blockIdx.x * cols;
    float sum = 0, sq = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) { sum += row[c]; sq += row[c] * row[c]; }
    float mean = blockSum(sum, s) / cols;
    float var = blockSum(sq, s) / cols - mean * mean;
    if (threadIdx.x == 0) stats[blockIdx.x] = Stats{mean, var};
}
int main() {
    constexpr int rows = 8, cols = 200;
    static float h[rows * cols];
    for (float &v : h) v = 0.5f;
    float *x; Stats *stats;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&stats, rows * sizeof(Stats));
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    normalize<<<rows, 64>>>(x, stats, cols);
    if (cudaDeviceSynchronize() != cudaSuccess) puts("failed");
}
