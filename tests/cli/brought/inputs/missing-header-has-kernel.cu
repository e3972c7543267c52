// kernels.cuh, which is missing, has the kernel `bad`.
#include "kernels.cuh"
__global__ void good(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
int main() { int *p; cudaMalloc(&p, 128*4); good<<<1,128>>>(p); bad<<<1,128>>>(p); }
