// C = A*B with A of M x 16 and B of 16 x N, block 16x16; a tile of A is staged in shared memory
// and there is no barrier between the store of the tile and its use.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do{cudaError_t e_=(x);if(e_!=cudaSuccess){printf("%s\n",cudaGetErrorString(e_));exit(1);}}while(0)
constexpr int TILE = 16, M = 1024, N = 1024;

__global__ void mulTileA(const float *a, const float *b, float *c) {
    __shared__ float aTile[TILE][TILE];
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
    aTile[threadIdx.y][threadIdx.x] = a[row * TILE + threadIdx.x];
    // no barrier here  B1
    for (int i = 0; i < TILE; i++)
        sum += aTile[threadIdx.y][i] * b[i * N + col];
    c[row * N + col] = sum;
}

int main() {
    std::vector<float> a(M * TILE), b(TILE * N), c(M * N);
    for (auto &v : a) v = rand() / (float)RAND_MAX;
    for (auto &v : b) v = rand() / (float)RAND_MAX;
    float *da, *db, *dc;
    CK(cudaMalloc(&da, a.size() * 4)); CK(cudaMalloc(&db, b.size() * 4)); CK(cudaMalloc(&dc, c.size() * 4));
    CK(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), b.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemset(dc, 0, c.size() * 4));
    mulTileA<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(da, db, dc);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(c.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int r = 0; r < M; r++) for (int col = 0; col < N; col++) {
        float s = 0.f;
        for (int i = 0; i < TILE; i++) s += a[r * TILE + i] * b[i * N + col];
        if (fabsf(s - c[r * N + col]) > 1e-4f) bad++;
    }
    printf("%s\n", bad ? "FAIL" : "ok");
}
