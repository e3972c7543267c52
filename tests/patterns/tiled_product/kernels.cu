// The product of two square matrices: a block per tile of the result, a thread per element.
#include "shflbench.cuh"

constexpr int TILE = 16;

template <typename T>
__global__ void tiled_product_global(const T* left, const T* right, T* product, int n) {
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    T sum = T(0);
    for (int k = 0; k < n; ++k) sum += left[y * n + k] * right[k * n + x];
    product[y * n + x] = sum;
}

template <typename T>
__global__ void tiled_product_smem(const T* left, const T* right, T* product, int n) {
    __shared__ T a[TILE][TILE], b[TILE][TILE];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    T sum = T(0);
    for (int first = 0; first < n; first += TILE) {
        a[threadIdx.y][threadIdx.x] = left[y * n + first + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = right[(first + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    product[y * n + x] = sum;
}
