// Weighted negative log likelihood over a 4x20x512x1024 map: two block reductions in a row
// that share the same scratch array (1024 threads, 4 blocks per sample).
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int THREADS = 1024, NB = 4, NC = 20, HW = 512 * 1024, BPS = 4;

__device__ float reduceBlock(float *smem, float val) {      // result valid in thread 0
    smem[threadIdx.x] = val;
    __syncthreads();                                        // R1
    int warps = blockDim.x / 32;
    if (threadIdx.x < warps) {                              // first warp: lane i folds the values of warp i
        float w = 0.f;
        for (int i = 0; i < 32; i++) w += smem[threadIdx.x * 32 + i];
        __syncwarp();                                       // W1
        smem[threadIdx.x] = w;
    }
    __syncthreads();                                        // R2
    float r = 0.f;
    if (threadIdx.x == 0)
        for (int i = 0; i < warps; i++) r += smem[i];
    return r;
}

__global__ void nll(const float *in, const int *target, const float *weight, float *out, float *total) {
    __shared__ float scratch[THREADS];
    int sample = blockIdx.x / BPS, part = blockIdx.x % BPS;
    float sum = 0.f, wsum = 0.f;
    for (int i = part * THREADS + threadIdx.x; i < HW; i += THREADS * BPS) {
        int t = target[sample * HW + i];
        float w = weight[t];
        sum -= in[((size_t)sample * NC + t) * HW + i] * w;
        wsum += w;
    }
    __syncthreads();                                        // B1
    sum = reduceBlock(scratch, sum);
    __syncthreads();                                        // B2
    wsum = reduceBlock(scratch, wsum);
    if (threadIdx.x == 0) { atomicAdd(out, sum); atomicAdd(total, wsum); }
}

int main() {
    std::vector<float> h((size_t)NB * NC * HW), wt(NC);
    std::vector<int> tg((size_t)NB * HW);
    for (size_t i = 0; i < h.size(); i++) h[i] = -(float)((i * 2654435761u) >> 20 & 3);
    for (auto &v : tg) v = rand() % NC;
    for (int c = 0; c < NC; c++) wt[c] = 1 + c % 2;
    double want = 0, wantW = 0;
    for (int n = 0; n < NB; n++) for (int i = 0; i < HW; i++) {
        int t = tg[(size_t)n * HW + i];
        want -= (double)h[((size_t)n * NC + t) * HW + i] * wt[t]; wantW += wt[t];
    }
    float *di, *dw, *dres, got[2]; int *dt;
    CK(cudaMalloc(&di, h.size() * 4)); CK(cudaMalloc(&dt, tg.size() * 4)); CK(cudaMalloc(&dw, NC * 4)); CK(cudaMalloc(&dres, 8));
    CK(cudaMemcpy(di, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dt, tg.data(), tg.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(dw, wt.data(), NC * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(dres, 0, 8));
    nll<<<NB * BPS, THREADS>>>(di, dt, dw, dres, dres + 1);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got, dres, 8, cudaMemcpyDeviceToHost));
    bool ok = fabs(got[0] - want) < 1e-5 * want && fabs(got[1] - wantW) < 1e-5 * wantW;
    printf("%g %g / %g %g: %s\n", want, got[0], wantW, got[1], ok ? "ok" : "FAIL");
}
