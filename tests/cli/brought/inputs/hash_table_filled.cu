// Right: clean: the program fills the slots with the marker of empty ones, and its keys are unique.
#include <cuda_runtime.h>
__global__ void insert(const unsigned* keys, const unsigned* vals, unsigned* tk, unsigned* tv, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], s = (k * 2654435769u) & 1023;
  while (true) {
    unsigned old = atomicCAS(&tk[s], 0xffffffffu, k);
    if (old == 0xffffffffu || old == k) { tv[s] = vals[i]; return; }
    s = (s + 1) & 1023;
  }
}
int main() { int n = 500; unsigned h[500]; for (int i = 0; i < n; ++i) h[i] = i; unsigned *k, *v, *tk, *tv;
  cudaMalloc(&k, n * 4); cudaMalloc(&v, n * 4); cudaMalloc(&tk, 4096); cudaMalloc(&tv, 4096);
  cudaMemcpy(k, h, n * 4, cudaMemcpyHostToDevice); cudaMemcpy(v, h, n * 4, cudaMemcpyHostToDevice); cudaMemset(tk, 0xff, 4096);
  insert<<<4, 128>>>(k, v, tk, tv, n); cudaDeviceSynchronize(); }
