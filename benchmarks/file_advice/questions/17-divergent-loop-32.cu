// A block of exactly 32 threads: every thread bumps its own shared cell threadIdx.x times (divergent loop),
// then reads the mirrored cell. No barrier at all in the kernel.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)

__global__ void mirror(unsigned *g) {
    __shared__ unsigned cells[256];
    cells[threadIdx.x] = g[threadIdx.x];
    for (unsigned i = 0; i < threadIdx.x; i++)
        cells[threadIdx.x] += 1;
    // barrier needed here?   B1
    g[threadIdx.x] = cells[31 - threadIdx.x];
}

int main() {
    // values in, values out
    std::vector<unsigned> h(32), o(32);
    for (auto &v : h) v = rand() % 1000;
    unsigned *d = nullptr;
    CK(cudaMalloc(&d, 128));
    std::vector<unsigned> want(32);
    for (int i = 0; i < 32; i++)
        want[i] = h[31 - i] + (31 - i);
    int bad = 0;
    for (int rep = 0; rep < 100; rep++) {
        CK(cudaMemcpy(d, h.data(), 128, cudaMemcpyHostToDevice));
        mirror<<<1, 32>>>(d);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(o.data(), d, 128, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; i++)
            if (o[i] != want[i]) bad++;
    }
    for (int i = 0; i < 32; i += 8)
        printf("g[%2d] was %u, mirrored cell %u plus %d, got %u\n", i, h[i], h[31 - i], 31 - i, o[i]);
    CK(cudaFree(d));
    printf("%s\n", bad ? "FAIL" : "ok");
}
