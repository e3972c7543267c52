// The declaration in line 4 selects the template without a barrier: the kernel has a race.
#include "gone.h"
struct Tag {};
void no_sync_needed(Tag);
template <class T> constexpr auto sync_needed(int) -> decltype(no_sync_needed(T()), false) { return false; }
template <class T> constexpr bool sync_needed(long) { return true; }
__global__ void k(int *out) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  if (sync_needed<Tag>(0)) __syncthreads();
  out[blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
}
int main() { int *p; cudaMalloc(&p, 128*4); k<<<1,128>>>(p); }
