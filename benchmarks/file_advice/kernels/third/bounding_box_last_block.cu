// Root cell of a Barnes-Hut tree: bounding interval of all bodies along x, by a
// block reduction and a "last block done" final pass.
#include <cfloat>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define RUN(stmt) do { cudaError_t err = (stmt); if (err != cudaSuccess) { \
        fprintf(stderr, "%s -> %s\n", #stmt, cudaGetErrorString(err)); exit(1); } } while (0)

constexpr int MAX_BLOCK = 256;
constexpr int MAX_GRID = 48;
__device__ unsigned blocksDone = 0;

__device__ void reduce(float* lo, float* hi)
{
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) {
            lo[threadIdx.x] = fminf(lo[threadIdx.x], lo[threadIdx.x + s]);
            hi[threadIdx.x] = fmaxf(hi[threadIdx.x], hi[threadIdx.x + s]);
        }
        __syncthreads();
    }
}

__global__ void bounds(const float* x, int n, volatile float* part, float* box)
{
    __shared__ float lo[MAX_BLOCK], hi[MAX_BLOCK];
    __shared__ bool last;
    const int t = threadIdx.x;

    float a = FLT_MAX, b = -FLT_MAX;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        a = fminf(a, x[i]);
        b = fmaxf(b, x[i]);
    }
    lo[t] = a;
    hi[t] = b;
    __syncthreads();
    reduce(lo, hi);

    if (t == 0) {
        part[2 * blockIdx.x] = lo[0];
        part[2 * blockIdx.x + 1] = hi[0];
        __threadfence();
        last = atomicAdd(&blocksDone, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;

    a = FLT_MAX; b = -FLT_MAX;
    for (int k = t; k < (int)gridDim.x; k += blockDim.x) {
        a = fminf(a, part[2 * k]);
        b = fmaxf(b, part[2 * k + 1]);
    }
    __syncthreads();                 // lo and hi are used again
    lo[t] = a;
    hi[t] = b;
    __syncthreads();
    reduce(lo, hi);
    if (t == 0) { box[0] = lo[0]; box[1] = hi[0]; blocksDone = 0; }
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 60;
    int seed = argc > 2 ? atoi(argv[2]) : 1;
    if (n < 1 || n > 50000000) { fprintf(stderr, "1..50000000 bodies, please\n"); return 2; }
    std::vector<float> x(n);
    srand(seed);
    for (float& v : x) v = (float)(rand() % 2000001 - 1000000) / 64.0f;
    float a = FLT_MAX, b = -FLT_MAX;
    for (float v : x) { a = v < a ? v : a; b = v > b ? v : b; }

    int block = 32;
    while (block < n && block < MAX_BLOCK) block *= 2;
    int grid = (n + block - 1) / block;
    if (grid > MAX_GRID) grid = MAX_GRID;
    float *dx, *dpart, *dbox, box[2];
    RUN(cudaMalloc(&dx, n * sizeof(float)));
    RUN(cudaMalloc(&dpart, 2 * MAX_GRID * sizeof(float)));
    RUN(cudaMalloc(&dbox, sizeof box));
    RUN(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    for (int pass = 0; pass < 2; ++pass) {       // twice: the counter must be reset
        bounds<<<grid, block>>>(dx, n, dpart, dbox);
        RUN(cudaGetLastError());
    }
    RUN(cudaMemcpy(box, dbox, sizeof box, cudaMemcpyDeviceToHost));
    if (box[0] != a || box[1] != b) { printf("FAIL\n"); return 1; }
    printf("PASS %.6f\n", box[1] - box[0] + 3 * box[0]);
    return 0;
}
