// All-pairs gravity, 8192 bodies, 64 blocks of 128 threads.
// plain: every thread walks all bodies in global memory; tiled: 128 bodies at a time in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int N = 8192, TPB = 128;
#define EPS2 0.001f

__device__ float3 pull(float4 bi, float4 bj, float3 a) {
    float rx = bj.x - bi.x, ry = bj.y - bi.y, rz = bj.z - bi.z;
    float d2 = rx * rx + ry * ry + rz * rz + EPS2;
    float d6 = d2 * d2 * d2;
    float s = bj.w * (1.0f / sqrtf(d6));
    a.x += rx * s; a.y += ry * s; a.z += rz * s;
    return a;
}

__device__ void advance(float4 b, float3 a, float4 *vel, float4 *out, int k, float dt) {
    float4 v = vel[k];
    v.x += a.x * dt; v.y += a.y * dt; v.z += a.z * dt;
    b.x += v.x * dt; b.y += v.y * dt; b.z += v.z * dt;
    vel[k] = v;
    out[k] = b;
}

__global__ void stepPlain(const float4 *pos, float4 *out, float4 *vel, float dt) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float4 b = pos[k];
    float3 a = make_float3(0, 0, 0);
    for (int i = 0; i < N; i++) a = pull(b, pos[i], a);
    advance(b, a, vel, out, k, dt);
}

__global__ void stepTiled(const float4 *pos, float4 *out, float4 *vel, float dt) {
    __shared__ float4 sh[TPB];
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    float4 b = pos[k];
    float3 a = make_float3(0, 0, 0);
    for (int t = 0; t < N / TPB; t++) {
        sh[threadIdx.x] = pos[t * TPB + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < TPB; i++) a = pull(b, sh[i], a);
        __syncthreads();
    }
    advance(b, a, vel, out, k, dt);
}

int main() {
    std::vector<float4> p(N), o(N);
    for (auto &b : p) b = make_float4(rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, rand() / (float)RAND_MAX, 1.f / N);
    float4 *dp, *d_out, *dv;
    CK(cudaMalloc(&dp, N * 16)); CK(cudaMalloc(&d_out, N * 16)); CK(cudaMalloc(&dv, N * 16));
    CK(cudaMemcpy(dp, p.data(), N * 16, cudaMemcpyHostToDevice));
    const float dt = 0.01f;
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(dv, 0, N * 16));
        if (ver) stepTiled<<<N / TPB, TPB>>>(dp, d_out, dv, dt);
        else     stepPlain<<<N / TPB, TPB>>>(dp, d_out, dv, dt);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), d_out, N * 16, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int k = 0; k < N; k += 97) {
            double ax = 0;
            for (int i = 0; i < N; i++) {
                double rx = p[i].x - p[k].x, ry = p[i].y - p[k].y, rz = p[i].z - p[k].z;
                double d2 = rx * rx + ry * ry + rz * rz + EPS2;
                ax += p[i].w * rx / sqrt(d2 * d2 * d2);
            }
            if (fabs(p[k].x + ax * dt * dt - o[k].x) > 1e-5) bad++;
        }
        printf("%s: %s\n", ver ? "tiled" : "plain", bad ? "FAIL" : "ok");
    }
}
