// Dot product of two double vectors (101^3 elements): grid-stride partial sums, then a shared-memory
// tree of 512 values in which only the first steps carry a block barrier.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int BLOCK = 512, N = 101 * 101 * 101, GRID = 1024;

__global__ void dot(const double *x, const double *y, double *part, int n) {
    double s = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) s += x[i] * y[i];
    __shared__ volatile double red[BLOCK];
    int t = threadIdx.x;
    red[t] = s;
    __syncthreads();                                      // B1
    if (t < 256) { s += red[t + 256]; red[t] = s; }
    __syncthreads();                                      // B2
    if (t < 128) { s += red[t + 128]; red[t] = s; }
    __syncthreads();                                      // B3
    if (t < 64) { s += red[t + 64]; red[t] = s; }
    __syncthreads();                                      // B4
    if (t < 32) { s += red[t + 32]; red[t] = s; }
    // from here on no barrier: "one warp only"
    if (t < 16) { s += red[t + 16]; red[t] = s; }         // L5
    if (t < 8) { s += red[t + 8]; red[t] = s; }           // L6
    if (t < 4) { s += red[t + 4]; red[t] = s; }           // L7
    if (t < 2) { s += red[t + 2]; red[t] = s; }           // L8
    if (t < 1) { s += red[t + 1]; part[blockIdx.x] = s; } // L9
}

int main() {
    std::vector<double> x(N), y(N), p(GRID);
    double want = 0;
    for (int i = 0; i < N; i++) { x[i] = rand() % 8; y[i] = rand() % 8; want += x[i] * y[i]; }
    double *dx, *dy, *dp;
    CK(cudaMalloc(&dx, N * 8)); CK(cudaMalloc(&dy, N * 8)); CK(cudaMalloc(&dp, GRID * 8));
    CK(cudaMemcpy(dx, x.data(), N * 8, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dy, y.data(), N * 8, cudaMemcpyHostToDevice));
    dot<<<GRID, BLOCK>>>(dx, dy, dp, N);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(p.data(), dp, GRID * 8, cudaMemcpyDeviceToHost));
    double got = 0;
    for (double v : p) got += v;
    printf("want %.0f got %.0f: %s\n", want, got, got == want ? "ok" : "FAIL");
}
