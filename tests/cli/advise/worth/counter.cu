#include <cuda_runtime.h>
__global__ void counter(const float* in, float* sum, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}
int main() {
    int n = 1 << 22;
    float *in, *sum;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    counter<<<n / 256, 256>>>(in, sum, n);
}
