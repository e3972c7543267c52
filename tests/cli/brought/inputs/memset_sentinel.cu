// Right: clean: the program fills `next` with -1, so that no thread stores to out[k].
#include <cuda_runtime.h>
__global__ void follow(const int* next, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { int k = next[i]; out[i] = k; if (k >= 0) out[k] = -2; }
}
int main() { int n = 100, *a, *b; cudaMalloc(&a, 400); cudaMalloc(&b, 400); cudaMemset(a, -1, 400); follow<<<1, 128>>>(a, b, n); cudaDeviceSynchronize(); }
