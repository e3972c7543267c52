// Monte Carlo price of a European call: grid-stride over paths, tree sum per block.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define BLK 256
#define GRID 24

#define gpuErr(code) { gpuAssert((code), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line)
{
    if (code != cudaSuccess) { fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line); exit(1); }
}

__host__ __device__ inline unsigned hash32(unsigned v)
{
    v ^= v >> 16; v *= 0x7feb352dU; v ^= v >> 15; v *= 0x846ca68bU; v ^= v >> 16;
    return v;
}

__host__ __device__ inline double payoff(unsigned path, unsigned seed)
{
    unsigned a = hash32(path * 2u + 1u + seed * 0x9e3779b9u), b = hash32(a ^ 0x68bc21ebu);
    double u = (a + 1.0) / 4294967297.0, v = b / 4294967296.0;
    double z = sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
    double s = 100.0 * exp((0.03 - 0.5 * 0.04) + 0.2 * z);     // one year, r = 3%, sigma = 20%
    return s > 105.0 ? s - 105.0 : 0.0;
}

__global__ void priceCall(double* partial, int paths, unsigned seed)
{
    __shared__ double s[BLK];
    int t = threadIdx.x;
    double sum = 0.0;
    for (int p = blockIdx.x * BLK + t; p < paths; p += BLK * GRID)
        sum += payoff(p, seed);
    s[t] = sum;
    __syncthreads();

    for (int off = BLK / 2; off > 32; off >>= 1) {
        if (t < off) s[t] += s[t + off];
        __syncthreads();
    }
    if (t < 32) s[t] += s[t + 32];
    __syncthreads();
    for (int off = 16; off > 0; off >>= 1) {
        if (t < off) s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = s[0];
}

int main(int argc, char** argv)
{
    int paths = argc > 1 ? atoi(argv[1]) : 20000;
    unsigned seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 42;
    if (paths <= 0 || paths > 50000000) { fprintf(stderr, "paths must be 1..50000000\n"); return 2; }

    double *d, h[GRID];
    gpuErr(cudaMalloc(&d, sizeof(h)));
    priceCall<<<GRID, BLK>>>(d, paths, seed);
    gpuErr(cudaPeekAtLastError());
    gpuErr(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    gpuErr(cudaFree(d));

    double gpu = 0, cpu = 0;
    for (int i = 0; i < GRID; i++) gpu += h[i];
    for (int p = 0; p < paths; p++) cpu += payoff(p, seed);
    double df = exp(-0.03) / paths;
    gpu *= df; cpu *= df;
    if (!(fabs(gpu - cpu) <= 1e-8 * (1.0 + fabs(cpu)))) { printf("FAIL gpu %.9f cpu %.9f\n", gpu, cpu); return 1; }
    printf("PASS %.6f\n", gpu);
    return 0;
}
