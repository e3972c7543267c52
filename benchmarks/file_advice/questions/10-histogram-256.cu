// 256-bin histogram of 2^20 ints, one element per thread, 256 threads per block.
// direct: atomics straight on the global bins; priv: per-block bins in shared memory, then one flush.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
// N/BINS = 4096 blocks are launched by both versions
constexpr int N = 1 << 20, BINS = 256;

__global__ void histDirect(const int *in, int *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[in[i]], 1);
}

__global__ void histPriv(const int *in, int *bins) {
    __shared__ int tmp[BINS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tmp[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&tmp[in[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], tmp[threadIdx.x]);
}

int main() {
    std::vector<int> h(N), want(BINS, 0), got(BINS);
    for (auto &v : h) { v = rand() % BINS; want[v]++; }
    int *di, *db;
    CK(cudaMalloc(&di, N * 4)); CK(cudaMalloc(&db, BINS * 4));
    CK(cudaMemcpy(di, h.data(), N * 4, cudaMemcpyHostToDevice));
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(db, 0, BINS * 4));
        if (ver) histPriv<<<N / BINS, BINS>>>(di, db);
        else     histDirect<<<N / BINS, BINS>>>(di, db);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got.data(), db, BINS * 4, cudaMemcpyDeviceToHost));
        printf("%s: %s\n", ver ? "priv" : "direct", got == want ? "ok" : "FAIL");
    }
}
