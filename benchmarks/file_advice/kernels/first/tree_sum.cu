// Sum of an int array: grid-stride partial sums, then a shared memory tree per block.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t e_ = (call);                                                     \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

constexpr int kBlock = 256;

__global__ void treeSum(const int* in, long long* partial, int n) {
  __shared__ int s[kBlock];
  const int t = threadIdx.x;
  int acc = 0;
  for (int i = blockIdx.x * kBlock + t; i < n; i += gridDim.x * kBlock) acc += in[i];
  s[t] = acc;
  __syncthreads();

  // tree down to the first warp
  for (int d = kBlock / 2; d >= 32; d >>= 1) {
    if (t < d) {
      acc += s[t + d];
      s[t] = acc;
    }
    __syncthreads();
  }
  // the last warp on its own
  if (t < 32) {
    for (int d = 16; d > 0; d >>= 1) {
      if (t < d) {
        acc += s[t + d];
        s[t] = acc;
      }
      __syncwarp();
    }
  }
  __syncthreads();
  if (t == 0) partial[blockIdx.x] = acc;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 1;
  if (n <= 0 || n > (1 << 24)) {
    fprintf(stderr, "size must be 1..%d\n", 1 << 24);
    return 2;
  }
  std::vector<int> h(n);
  long long want = 0;
  for (int i = 0; i < n; ++i) {
    seed = seed * 1664525u + 1013904223u;
    h[i] = int(seed >> 25) - 40;
    want += h[i];
  }
  int blocks = (n + kBlock - 1) / kBlock;
  if (blocks > 64) blocks = 64;
  int* dIn;
  long long* dPart;
  CHECK(cudaMalloc(&dIn, n * sizeof(int)));
  CHECK(cudaMalloc(&dPart, blocks * sizeof(long long)));
  CHECK(cudaMemcpy(dIn, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  treeSum<<<blocks, kBlock>>>(dIn, dPart, n);
  CHECK(cudaGetLastError());
  std::vector<long long> part(blocks);
  CHECK(cudaMemcpy(part.data(), dPart, blocks * sizeof(long long), cudaMemcpyDeviceToHost));
  long long got = 0;
  for (long long p : part) got += p;
  if (got != want) {
    printf("FAIL %lld != %lld\n", got, want);
    return 1;
  }
  printf("PASS %lld\n", got);
  return 0;
}
