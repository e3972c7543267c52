// clean
#include <stdio.h>
#include <stdlib.h>
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main(void) {
    int N = 1 << 12;
    float *x, *y, *d_x, *d_y;
    x = (float *)malloc((N - 5) * sizeof(float));
    y = (float *)malloc((N - 5) * sizeof(float));
    cudaMalloc(&d_x, (N - 5) * sizeof(float));
    cudaMalloc(&d_y, (N - 5) * sizeof(float));
    for (int i = 0; i < N - 5; i++) { x[i] = 1.0f; y[i] = 2.0f; }
    cudaMemcpy(d_x, x, (N - 5) * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, (N - 5) * sizeof(float), cudaMemcpyHostToDevice);
    saxpy<<<(N + 255) / 256, 256>>>(N - 5, 2.0f, d_x, d_y);
    cudaMemcpy(y, d_y, (N - 5) * sizeof(float), cudaMemcpyDeviceToHost);
}
