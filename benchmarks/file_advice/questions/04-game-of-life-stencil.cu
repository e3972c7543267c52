// Game of life step on an int grid with a one-cell ghost border.
// global: eight neighbor loads from global memory; tiled: 16x16 tile in shared memory, 14x14 outputs.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int DIM = 4096, BS = 16, P = DIM + 2;

__device__ int rule(int alive, int n) { return n == 3 || (alive && n == 2); }

__global__ void golGlobal(const int *g, int *ng) {
    int y = blockIdx.y * BS + threadIdx.y + 1;
    int x = blockIdx.x * BS + threadIdx.x + 1;
    int id = y * P + x;
    if (y <= DIM && x <= DIM) {
        int n = g[id + P] + g[id - P] + g[id + 1] + g[id - 1]
              + g[id + P + 1] + g[id - P - 1] + g[id - P + 1] + g[id + P - 1];
        ng[id] = rule(g[id], n);
    }
}

__global__ void golTiled(const int *g, int *ng) {
    __shared__ int t[BS][BS];
    int y = blockIdx.y * (BS - 2) + threadIdx.y;
    int x = blockIdx.x * (BS - 2) + threadIdx.x;
    int i = threadIdx.y, j = threadIdx.x, id = y * P + x;
    if (y <= DIM + 1 && x <= DIM + 1) t[i][j] = g[id];
    __syncthreads();
    if (y <= DIM && x <= DIM && i > 0 && i < BS - 1 && j > 0 && j < BS - 1) {
        int n = t[i + 1][j] + t[i - 1][j] + t[i][j + 1] + t[i][j - 1]
              + t[i + 1][j + 1] + t[i - 1][j - 1] + t[i - 1][j + 1] + t[i + 1][j - 1];
        ng[id] = rule(t[i][j], n);
    }
}

int main() {
    size_t cells = (size_t)P * P;
    std::vector<int> g(cells), want(cells, 0), got(cells);
    for (int y = 1; y <= DIM; y++) for (int x = 1; x <= DIM; x++) g[(size_t)y * P + x] = rand() & 1;
    for (int y = 1; y <= DIM; y++) { g[(size_t)y * P] = g[(size_t)y * P + DIM]; g[(size_t)y * P + DIM + 1] = g[(size_t)y * P + 1]; }
    for (int x = 0; x < P; x++) { g[x] = g[(size_t)DIM * P + x]; g[(size_t)(DIM + 1) * P + x] = g[P + x]; }
    for (int y = 1; y <= DIM; y++) for (int x = 1; x <= DIM; x++) {
        size_t id = (size_t)y * P + x; int n = 0;
        for (int a = -1; a <= 1; a++) for (int b = -1; b <= 1; b++) if (a || b) n += g[id + (long)a * P + b];
        want[id] = n == 3 || (g[id] && n == 2);
    }
    int *dg, *dn;
    CK(cudaMalloc(&dg, cells * 4)); CK(cudaMalloc(&dn, cells * 4));
    CK(cudaMemcpy(dg, g.data(), cells * 4, cudaMemcpyHostToDevice));
    dim3 blk(BS, BS);
    for (int ver = 0; ver < 2; ver++) {
        CK(cudaMemset(dn, 0, cells * 4));
        if (ver == 0) golGlobal<<<dim3(DIM / BS, DIM / BS), blk>>>(dg, dn);
        else { int n = (DIM + BS - 3) / (BS - 2); golTiled<<<dim3(n, n), blk>>>(dg, dn); }
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(got.data(), dn, cells * 4, cudaMemcpyDeviceToHost));
        printf("%s: %s\n", ver ? "tiled" : "global", got == want ? "ok" : "FAIL");
    }
}
