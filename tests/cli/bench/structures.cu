// y = alpha * A x of a matrix with padded rows; all arguments travel in one structure by value.
#include <cuda_runtime.h>
#include <vector>

struct Rows {
    int first, last;
};
struct Product {
    char tag;  // and 7 bytes of padding
    double alpha;
    Rows rows;
    const float *operands[2];  // A and x
    float *y;
    short steps[3];  // from one row and from one column to the next, and the number of columns
};

#ifndef ALPHA
#define ALPHA p.alpha
#endif

__global__ void by_thread(Product p) {
    int row = p.rows.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= p.rows.last) return;
    float sum = 0;
    for (int column = 0; column < p.steps[2]; column++)
        sum += p.operands[0][row * p.steps[0] + column * p.steps[1]] * p.operands[1][column];
    p.y[row] = p.alpha * sum;
}

__global__ void by_warp(const __grid_constant__ Product p) {
    int row = p.rows.first + (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= p.rows.last) return;
    const float *a = p.operands[0] + row * p.steps[0], *x = p.operands[1];
    float sum = 0;
    for (int column = lane; column < p.steps[2]; column += 32) sum += a[column * p.steps[1]] * x[column];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) p.y[row] = ALPHA * sum;
}

int main() {
    const int rows = 21, columns = 50, pitch = 56;
    std::vector<float> a(rows * pitch), x(columns);
    for (int i = 0; i < rows * pitch; i++) a[i] = i % 11 - 5.0f;
    for (int i = 0; i < columns; i++) x[i] = 0.25f * i;
    float *device_a, *device_x, *y[2];
    cudaMalloc(&device_a, a.size() * sizeof(float));
    cudaMalloc(&device_x, x.size() * sizeof(float));
    cudaMemcpy(device_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(device_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < 2; i++) cudaMalloc(&y[i], rows * sizeof(float));
    Product p;
    p.tag = 'A', p.alpha = 1.0;
    p.rows.first = 1, p.rows.last = rows;
    p.operands[0] = device_a, p.operands[1] = device_x;
    p.steps[0] = pitch, p.steps[1] = 1, p.steps[2] = columns;
    p.y = y[0];
    by_thread<<<1, 32>>>(p);
    p.y = y[1];
    by_warp<<<3, 256>>>(p);
}
