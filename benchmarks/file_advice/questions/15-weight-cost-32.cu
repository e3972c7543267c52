// Squared-weight cost of several weight matrices: one block of 32 threads per matrix, dynamic shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int MATS = 64, WLEN = 800;

__global__ void weightCost(float *cost, float **weight, float lambda, int wlen) {
    extern __shared__ float sum[];
    sum[threadIdx.x] = 0;
    __syncthreads();                                   // B1
    float *w = weight[blockIdx.x];
    for (int i = 0; i < wlen; i += blockDim.x) {
        int id = i + threadIdx.x;
        if (id < wlen) sum[threadIdx.x] += w[id] * w[id];
    }
    int len = blockDim.x;
    while (len != 1) {
        __syncthreads();                               // B2
        int skip = (len + 1) >> 1;
        if (threadIdx.x < (len >> 1)) sum[threadIdx.x] += sum[threadIdx.x + skip];
        len = skip;
    }
    if (threadIdx.x == 0) atomicAdd(cost, sum[0] * lambda * 0.5f);
}

int main() {
    std::vector<float> h(MATS * WLEN);
    double want = 0;
    const float lambda = 0.01f;
    for (auto &v : h) { v = rand() / (float)RAND_MAX - 0.5f; want += (double)v * v * lambda * 0.5; }
    float *dw, *dc, **dp, got;
    CK(cudaMalloc(&dw, h.size() * 4)); CK(cudaMalloc(&dc, 4)); CK(cudaMalloc(&dp, MATS * sizeof(float *)));
    std::vector<float *> ptr(MATS);
    for (int i = 0; i < MATS; i++) ptr[i] = dw + i * WLEN;
    CK(cudaMemcpy(dw, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dp, ptr.data(), MATS * sizeof(float *), cudaMemcpyHostToDevice));
    CK(cudaMemset(dc, 0, 4));
    weightCost<<<MATS, 32, 32 * sizeof(float)>>>(dc, dp, lambda, WLEN);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(&got, dc, 4, cudaMemcpyDeviceToHost));
    printf("want %g got %g: %s\n", want, got, fabs(got - want) < 1e-3 * want ? "ok" : "FAIL");
}
