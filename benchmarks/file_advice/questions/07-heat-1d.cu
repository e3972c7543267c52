// One explicit step of a 1D heat equation with a tridiagonal update; also writes the y of a vertex buffer.
// direct: x[i-1], x[i], x[i+1] from global memory; line: x staged in a shared line with two halo cells.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int N = 1 << 20, BLOCK = 256, STEPS = 50;

__global__ void heatDirect(float2 *vbo, const float *X, float *Y, const float *L, const float *D, const float *U) {
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    float v = L[i] * X[i - 1] + D[i] * X[i] + U[i] * X[i + 1];
    Y[i] = v;
    vbo[i].y = v * 300;
}

__global__ void heatLine(float2 *vbo, const float *X, float *Y, const float *L, const float *D, const float *U) {
    __shared__ float line[BLOCK + 2];
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    line[threadIdx.x + 1] = X[i];
    if (threadIdx.x == 1) line[0] = X[i - 2];
    else if (threadIdx.x == 0) line[BLOCK + 1] = X[i + BLOCK];
    __syncthreads();
    float v = L[i] * line[threadIdx.x] + D[i] * line[threadIdx.x + 1] + U[i] * line[threadIdx.x + 2];
    Y[i] = v;
    vbo[i].y = v * 300;
}

int main() {
    std::vector<float> x(N + 2, 0.f), l(N, 0.25f), d(N, 0.5f), u(N, 0.25f), got(N + 2);
    for (int i = 1; i <= N; i++) x[i] = rand() / (float)RAND_MAX;
    l[0] = 0.f; u[N - 1] = 0.f;
    std::vector<float> a = x, b(N + 2, 0.f);
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < N; i++) b[i + 1] = l[i] * a[i] + d[i] * a[i + 1] + u[i] * a[i + 2];
        a.swap(b);
    }
    float *X[2], *L, *D, *U; float2 *vbo;
    CK(cudaMalloc(&X[0], (N + 2) * 4)); CK(cudaMalloc(&X[1], (N + 2) * 4));
    CK(cudaMalloc(&L, N * 4)); CK(cudaMalloc(&D, N * 4)); CK(cudaMalloc(&U, N * 4)); CK(cudaMalloc(&vbo, N * 8));
    CK(cudaMemcpy(L, l.data(), N * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(D, d.data(), N * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(U, u.data(), N * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(vbo, 0, N * 8));
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemcpy(X[0], x.data(), (N + 2) * 4, cudaMemcpyHostToDevice));
        CK(cudaMemset(X[1], 0, (N + 2) * 4));
        for (int s = 0; s < STEPS; s++) {
            float *in = X[s & 1] + 1, *out = X[(s + 1) & 1] + 1;
            if (ver) heatLine<<<N / BLOCK, BLOCK>>>(vbo, in, out, L, D, U);
            else     heatDirect<<<N / BLOCK, BLOCK>>>(vbo, in, out, L, D, U);
        }
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got.data(), X[STEPS & 1], (N + 2) * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int i = 1; i <= N; i++) if (fabsf(got[i] - a[i]) > 1e-5f) bad++;
        printf("%s: %s\n", ver ? "line" : "direct", bad ? "FAIL" : "ok");
    }
}
