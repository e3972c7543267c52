#include <cuda_runtime.h>
#define TILE 16

__global__ void copy_rows(const float* in, float* out, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    out[x * height + y] = in[y * width + x];
}

__global__ void copy_tiles(const float* in, float* out, int width, int height) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
    const int width = 64, height = 32;
    float *in, *out;
    cudaMalloc(&in, width * height * sizeof(float));
    cudaMalloc(&out, width * height * sizeof(float));
    dim3 block(TILE, TILE), grid(width / TILE, height / TILE);
    copy_rows<<<grid, block>>>(in, out, width, height);
    copy_tiles<<<grid, block>>>(in, out, width, height);
    cudaDeviceSynchronize();
}
