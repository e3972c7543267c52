// Block sum of blockDim.x values held in shared memory, two ways:
// tree:  halving tree over the block with a barrier per step, last warp unrolled
// warps: every warp first folds its own 64 values with no block barrier, then one warp folds the rest
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int BLOCK_SIZE = 512;
constexpr int N = 1 << 22;

__device__ void fold64(volatile float *v, int lane) {   // v[0] = sum of v[0..63], one warp
    float s = v[lane] + v[lane + 32];
    __syncwarp();
    v[lane] = s;
    __syncwarp();
    for (int d = 16; d > 0; d >>= 1) {
        if (lane < d) { s += v[lane + d]; v[lane] = s; }
        __syncwarp();
    }
}

__device__ float sumTree(float *v) {
    int t = threadIdx.x;
    for (int d = BLOCK_SIZE / 2; d > 32; d >>= 1) {
        if (t < d) v[t] += v[t + d];
        __syncthreads();
    }
    if (t < 32) fold64(v, t);
    return v[0];
}

__device__ float sumWarps(float *v) {
    int t = threadIdx.x, w = t >> 5, lane = t & 31;
    constexpr int PARTS = BLOCK_SIZE / 64;
    if (w < PARTS) fold64(v + 64 * w, lane);        // no block barrier in here
    __syncthreads();
    if (t == 0) {
        float s = 0.f;
        for (int i = 0; i < PARTS; i++) s += v[64 * i];
        v[0] = s;
    }
    return v[0];
}

template <bool WARPS>
__global__ void reduce(const float *in, float *out) {
    __shared__ float v[BLOCK_SIZE];
    v[threadIdx.x] = in[blockIdx.x * BLOCK_SIZE + threadIdx.x];
    __syncthreads();
    float s = WARPS ? sumWarps(v) : sumTree(v);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}

int main() {
    std::vector<float> h(N, 1.f), o(N / BLOCK_SIZE);
    float *di, *d_out;
    CK(cudaMalloc(&di, N * 4)); CK(cudaMalloc(&d_out, o.size() * 4));
    CK(cudaMemcpy(di, h.data(), N * 4, cudaMemcpyHostToDevice));
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(d_out, 0, o.size() * 4));
        if (ver) reduce<true><<<N / BLOCK_SIZE, BLOCK_SIZE>>>(di, d_out);
        else     reduce<false><<<N / BLOCK_SIZE, BLOCK_SIZE>>>(di, d_out);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), d_out, o.size() * 4, cudaMemcpyDeviceToHost));
        int bad = 0;
        for (float f : o) if (f != (float)BLOCK_SIZE) bad++;
        printf("%s: %s\n", ver ? "warps" : "tree", bad ? "FAIL" : "ok");
    }
}
