// broken: no barrier before the next tile is loaded
#include <cstdlib>
constexpr int TILE = 16;
__global__ void matmul(const float *A, const float *B, float *C, int n) {
    __shared__ float a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float acc = 0.f;
    for (int t = 0; t < n / TILE; ++t) {
        a[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) acc += a[threadIdx.y][k] * b[k][threadIdx.x];
        
    }
    C[row * n + col] = acc;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 64;
    size_t bytes = size_t(n) * n * sizeof(float);
    float *A, *B, *C;
    cudaMallocManaged(&A, bytes); cudaMallocManaged(&B, bytes); cudaMallocManaged(&C, bytes);
    for (int i = 0; i < n * n; ++i) { A[i] = rand() / (float)RAND_MAX; B[i] = rand() / (float)RAND_MAX; }
    dim3 threads(TILE, TILE);
    dim3 blocks(n / TILE, n / TILE);
    matmul<<<blocks, threads>>>(A, B, C, n);
    cudaDeviceSynchronize();
    cudaFree(A); cudaFree(B); cudaFree(C);
}
