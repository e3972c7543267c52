// Transpose a matrix in tiles of 16x16: a block per tile, a thread per element.
#include "shflbench.cuh"

constexpr int TILE = 16;

__device__ int columns() { return gridDim.x * TILE; }
__device__ int rows() { return gridDim.y * TILE; }

template <typename T>
__global__ void tile_transpose_global(const T* matrix, T* result) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    result[x * rows() + y] = matrix[y * columns() + x];
}

template <typename T>
__global__ void tile_transpose_smem(const T* matrix, T* result) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = matrix[y * columns() + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    result[y * rows() + x] = tile[threadIdx.x][threadIdx.y];
}
