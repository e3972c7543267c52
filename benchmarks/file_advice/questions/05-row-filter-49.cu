// Horizontal 49-tap filter with taps in constant memory, 16x16 blocks.
// direct: taps read the image from global memory with a border test
// staged: block stages 64 pixels per row in shared memory (x is the slow index), four loads per thread
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int LEN = 49, RAD = 24, BS = 16, W = 1024, H = 1024;
__constant__ float taps[LEN];

__global__ void filterDirect(const float *src, float *dst) {
    int x = blockIdx.x * BS + threadIdx.x, y = blockIdx.y * BS + threadIdx.y;
    float sum = 0.f;
    for (int i = -RAD; i <= RAD; i++) {
        float v = 0.f;
        if (x + i >= 0 && x + i < W) v = src[y * W + x + i];
        sum += v * taps[RAD + i];
    }
    dst[y * W + x] = sum;
}

__global__ void filterStaged(const float *src, float *dst) {
    __shared__ float data[BS + 2 * RAD][BS];
    int x = blockIdx.x * BS + threadIdx.x, y = blockIdx.y * BS + threadIdx.y;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int sx = x - RAD + k * BS;
        data[threadIdx.x + k * BS][threadIdx.y] = (sx >= 0 && sx < W) ? src[y * W + sx] : 0.f;
    }
    __syncthreads();
    float sum = 0.f;
    for (int i = 0; i < LEN; i++)
        sum += data[threadIdx.x + i][threadIdx.y] * taps[i];
    dst[y * W + x] = sum;
}

int main() {
    std::vector<float> s(W * H), o(W * H);
    float t[LEN];
    for (auto &v : s) v = rand() / (float)RAND_MAX;
    for (auto &v : t) v = rand() / (float)RAND_MAX;
    float *ds, *dd;
    CK(cudaMalloc(&ds, s.size() * 4)); CK(cudaMalloc(&dd, s.size() * 4));
    CK(cudaMemcpy(ds, s.data(), s.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpyToSymbol(taps, t, sizeof t));
    dim3 blk(BS, BS), grd(W / BS, H / BS);
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(dd, 0, s.size() * 4));
        if (ver) filterStaged<<<grd, blk>>>(ds, dd);
        else     filterDirect<<<grd, blk>>>(ds, dd);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), dd, o.size() * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (int y = 0; y < H; y += 37)
            for (int x = 0; x < W; x++) {
                float sum = 0.f;
                for (int i = -RAD; i <= RAD; i++)
                    if (x + i >= 0 && x + i < W) sum += s[y * W + x + i] * t[RAD + i];
                if (fabsf(sum - o[y * W + x]) > 1e-3f) bad++;
            }
        printf("%s: %s\n", ver ? "staged" : "direct", bad ? "FAIL" : "ok");
    }
}
