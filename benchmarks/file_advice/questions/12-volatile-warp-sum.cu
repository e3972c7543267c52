// One warp sums 32 ints through a volatile shared array; no divergence and no warp barrier anywhere.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)

__global__ void warpSum(int *out, const int *in) {
    volatile __shared__ int data[64];
    int t = threadIdx.x;
    data[t] = in[t];              // S0
    // barrier needed here?          B1
    data[t] += data[t + 16];      // S1
    data[t] += data[t + 8];       // S2
    data[t] += data[t + 4];       // S3
    data[t] += data[t + 2];       // S4
    data[t] += data[t + 1];       // S5
    // only data[0] is meaningful; data[32..] is never written and feeds lanes that do not matter
    out[t] = data[0];             // S6
}

int main() {
    std::vector<int> h(32), o(32);
    int want = 0;
    for (auto &v : h) { v = rand() % 1000; want += v; }
    int *di, *d_out;
    CK(cudaMalloc(&di, 128)); CK(cudaMalloc(&d_out, 128));
    CK(cudaMemcpy(di, h.data(), 128, cudaMemcpyHostToDevice));
    int bad = 0;
    for (int rep = 0; rep < 100; rep++) {
        CK(cudaMemset(d_out, 0, 128));
        warpSum<<<1, 32>>>(d_out, di);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), d_out, 128, cudaMemcpyDeviceToHost));
        for (int v : o) if (v != want) bad++;
    }
    CK(cudaFree(di));
    CK(cudaFree(d_out));
    printf("want %d got %d: %s\n", want, o[0], bad ? "FAIL" : "ok");
}
