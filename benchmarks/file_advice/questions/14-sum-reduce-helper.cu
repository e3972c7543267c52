// Row sums: each thread leaves a partial sum in a shared buffer and calls a helper that starts with a
// barrier before it has touched memory itself.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int BLOCK = 256, ROWS = 1024, COLS = 1000;

template <typename Real>
__device__ Real sumReduce(Real *buffer) {
    int active = blockDim.x;
    __syncthreads();                                   // B1
    while (active > 1) {
        int half = (active + 1) >> 1;
        if (threadIdx.x < half) {
            Real other = 0;
            if (threadIdx.x + half < active) other = buffer[threadIdx.x + half];
            buffer[threadIdx.x] += other;
        }
        __syncthreads();                               // B2
        active = half;
    }
    return buffer[0];
}

__global__ void rowSums(const float *m, float *v) {
    __shared__ float buf[BLOCK];
    int row = blockIdx.x;
    float s = 0.f;
    for (int j = threadIdx.x; j < COLS; j += BLOCK) s += m[row * COLS + j];
    buf[threadIdx.x] = s;
    float total = sumReduce(buf);
    if (threadIdx.x == 0) v[row] = total;
}

int main() {
    std::vector<float> h(ROWS * COLS), o(ROWS);
    for (auto &v : h) v = rand() % 16;
    float *dm, *dv;
    CK(cudaMalloc(&dm, h.size() * 4)); CK(cudaMalloc(&dv, ROWS * 4));
    CK(cudaMemcpy(dm, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    rowSums<<<ROWS, BLOCK>>>(dm, dv);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(o.data(), dv, ROWS * 4, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < ROWS; r++) {
        float s = 0.f;
        for (int c = 0; c < COLS; c++) s += h[r * COLS + c];
        if (s != o[r]) bad++;
    }
    printf("%s\n", bad ? "FAIL" : "ok");
}
