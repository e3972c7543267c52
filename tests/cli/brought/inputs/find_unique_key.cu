// Right: clean (or needs arguments): of unique keys, one thread at most stores.
#include <cuda_runtime.h>
__global__ void find_key(const int* keys, int key, int* pos, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && keys[i] == key) *pos = i;
}
void find(const int* keys, int key, int* pos, int n) { find_key<<<(n + 255) / 256, 256>>>(keys, key, pos, n); }
