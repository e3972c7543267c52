// Block matching: for every pixel, sum of |A-B| over a 7x7 patch, REPS shifts of B.
// Version G reads global memory, version S stages both images in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int W = 640, H = 480, R = 3, REPS = 100, BS = 16;
constexpr int SH = 8;                       // shifts of B cycle through 0..7
constexpr int PW = W + 2 * R + SH, PH = H + 2 * R;   // padded images
constexpr int TW = BS + 2 * R + SH, TH = BS + 2 * R;

__global__ void distGlobal(const float *a, const float *b, float *out) {
    int x = blockIdx.x * BS + threadIdx.x, y = blockIdx.y * BS + threadIdx.y;
    float best = 1e30f;
    for (int rep = 0; rep < REPS; rep++) {
        int s = rep & (SH - 1);
        float d = 0.f;
#pragma unroll
        for (int j = 0; j < 2 * R + 1; j++)
#pragma unroll
            for (int i = 0; i < 2 * R + 1; i++)
                d += fabsf(a[(y + j) * PW + x + i] - b[(y + j) * PW + x + i + s]);
        best = fminf(best, d + 1e-6f * rep);
    }
    out[y * W + x] = best;
}

__global__ void distShared(const float *a, const float *b, float *out) {
    __shared__ float sa[TH][TW], sb[TH][TW];
    int x0 = blockIdx.x * BS, y0 = blockIdx.y * BS;
    for (int k = threadIdx.y * BS + threadIdx.x; k < TH * TW; k += BS * BS) {
        int ty = k / TW, tx = k % TW;
        sa[ty][tx] = a[(y0 + ty) * PW + x0 + tx];
        sb[ty][tx] = b[(y0 + ty) * PW + x0 + tx];
    }
    __syncthreads();
    float best = 1e30f;
    for (int rep = 0; rep < REPS; rep++) {
        int s = rep & (SH - 1);
        float d = 0.f;
#pragma unroll
        for (int j = 0; j < 2 * R + 1; j++)
#pragma unroll
            for (int i = 0; i < 2 * R + 1; i++)
                d += fabsf(sa[threadIdx.y + j][threadIdx.x + i] - sb[threadIdx.y + j][threadIdx.x + i + s]);
        best = fminf(best, d + 1e-6f * rep);
    }
    out[(y0 + threadIdx.y) * W + x0 + threadIdx.x] = best;
}

int main() {
    std::vector<float> a(PW * PH), b(PW * PH), o(W * H);
    for (auto &v : a) v = rand() / (float)RAND_MAX;
    for (auto &v : b) v = rand() / (float)RAND_MAX;
    float *da, *db, *d_out;
    CK(cudaMalloc(&da, a.size() * 4)); CK(cudaMalloc(&db, b.size() * 4)); CK(cudaMalloc(&d_out, o.size() * 4));
    CK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    dim3 blk(BS, BS), grd(W / BS, H / BS);
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(d_out, 0, o.size() * 4));
        if (ver == 0) distGlobal<<<grd, blk>>>(da, db, d_out);
        else          distShared<<<grd, blk>>>(da, db, d_out);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), d_out, o.size() * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int t = 0; t < 500; t++) {
            int x = rand() % W, y = rand() % H;
            float best = 1e30f;
            for (int rep = 0; rep < REPS; rep++) {
                float d = 0.f; int s = rep & (SH - 1);
                for (int j = 0; j < 7; j++) for (int i = 0; i < 7; i++)
                    d += fabsf(a[(y + j) * PW + x + i] - b[(y + j) * PW + x + i + s]);
                best = fminf(best, d + 1e-6f * rep);
            }
            if (fabsf(best - o[y * W + x]) > 1e-3f) bad++;
        }
        printf("%s: %s\n", ver ? "shared" : "global", bad ? "FAIL" : "ok");
    }
}
