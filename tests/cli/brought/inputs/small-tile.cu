// Sound in blocks of TILE x TILE threads, which nothing in the file launches.
#define TILE 2

__global__ void product(const float *a, const float *b, float *c, const int size) {
    int row = TILE * blockIdx.y + threadIdx.y;
    int column = TILE * blockIdx.x + threadIdx.x;
    for (int k = 0; k < size; k++) {
        c[row * size + column] += a[row * size + k] * b[k * size + column];
    }
}
