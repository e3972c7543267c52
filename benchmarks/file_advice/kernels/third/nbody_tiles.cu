// All-pairs n-body: accelerations with block-wide tiles, potential with
// tiles private to each warp.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define GPU(x) do { cudaError_t r = (x); if (r) { printf("FAIL %s (%d)\n", cudaGetErrorString(r), __LINE__); exit(1); } } while (0)
constexpr int P = 128;
constexpr float EPS2 = 0.01f;

__global__ void accel(const float4* pos, float3* acc, int n)
{
    __shared__ float4 tile[P];
    int i = blockIdx.x * P + threadIdx.x;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int base = 0; base < n; base += P) {
        int j = base + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        #pragma unroll 8
        for (int k = 0; k < P; ++k) {
            float4 b = tile[k];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            float inv = rsqrtf(dx * dx + dy * dy + dz * dz + EPS2);
            float f = b.w * inv * inv * inv;
            a.x += f * dx; a.y += f * dy; a.z += f * dz;
        }
        __syncthreads();
    }
    __syncthreads();   // all tiles consumed
    if (i < n) acc[i] = a;
}

// Same traversal, but every warp stages its own 32 bodies.
__global__ void potential(const float4* pos, float* phi, int n)
{
    __shared__ float4 mine[P];
    int i = blockIdx.x * P + threadIdx.x;
    int lane = threadIdx.x & 31, w0 = threadIdx.x & ~31;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float sum = 0;
    for (int base = 0; base < n; base += 32) {
        int j = base + lane;
        mine[w0 + lane] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            float4 b = mine[w0 + k];
            float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
            sum -= b.w * rsqrtf(dx * dx + dy * dy + dz * dz + EPS2);
        }
        __syncthreads();
    }
    if (i < n) phi[i] = sum;
}

int main(int argc, char** argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int seed = argc > 2 ? atoi(argv[2]) : 7;
    if (n < 1 || n > 20000) { fprintf(stderr, "1 <= n <= 20000\n"); return 2; }
    srand(seed);
    std::vector<float4> p(n);
    for (auto& b : p) {
        b.x = rand() / (float)RAND_MAX; b.y = rand() / (float)RAND_MAX; b.z = rand() / (float)RAND_MAX;
        b.w = 0.5f + rand() / (float)RAND_MAX;
    }
    float4* dp; float3* da; float* df;
    GPU(cudaMalloc(&dp, n * sizeof(float4))); GPU(cudaMalloc(&da, n * sizeof(float3))); GPU(cudaMalloc(&df, n * sizeof(float)));
    GPU(cudaMemcpy(dp, p.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    accel<<<(n + P - 1) / P, P>>>(dp, da, n);
    potential<<<(n + P - 1) / P, P>>>(dp, df, n);
    GPU(cudaGetLastError());
    std::vector<float3> a(n); std::vector<float> phi(n);
    GPU(cudaMemcpy(a.data(), da, n * sizeof(float3), cudaMemcpyDeviceToHost));
    GPU(cudaMemcpy(phi.data(), df, n * sizeof(float), cudaMemcpyDeviceToHost));
    double chk = 0;
    int step = n > 500 ? n / 500 : 1;      // spot check for large n
    for (int i = 0; i < n; i += step) {
        double ax = 0, ay = 0, az = 0, f = 0, mag = 1e-6;
        for (int j = 0; j < n; ++j) {
            double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y, dz = p[j].z - p[i].z;
            double r2 = dx * dx + dy * dy + dz * dz + EPS2, r = sqrt(r2), g = p[j].w / (r2 * r);
            ax += g * dx; ay += g * dy; az += g * dz; f -= p[j].w / r;
            mag += g * sqrt(dx * dx + dy * dy + dz * dz);
        }
        if (fabs(a[i].x - ax) + fabs(a[i].y - ay) + fabs(a[i].z - az) > 1e-3 * mag || fabs(phi[i] - f) > 1e-3 * fabs(f)) {
            printf("FAIL\n"); return 1;
        }
        chk += a[i].x + phi[i];
    }
    printf("PASS %.4g\n", chk);
    return 0;
}
