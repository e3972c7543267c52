// machine_settings.h, which is missing, may define _NO_SYNC.
#include "machine_settings.h"
__global__ void k(int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
#ifndef _NO_SYNC
  __syncthreads();
#endif
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
int main() { int *p; cudaMalloc(&p, 128*4); k<<<1,128>>>(p); }
