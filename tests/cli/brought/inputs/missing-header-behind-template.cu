// needs_int.h, which is missing, may specialize Needs.
template <class T> struct Needs { static constexpr bool sync = true; };
#include "needs_int.h"
__global__ void k(int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  if (Needs<int>::sync) __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
int main() { int *p; cudaMalloc(&p, 128*4); k<<<1,128>>>(p); }
