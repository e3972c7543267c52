// Index-free maximum in one launch: the last block to finish combines the blocks' results.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define NT 256

#define cudaTry(expr)                                                          \
  if (cudaError_t status_ = (expr); status_ != cudaSuccess) {                  \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
    exit(1);                                                                   \
  }

__device__ int warp_max(int v) {
  for (int d = 16; d; d >>= 1) v = max(v, __shfl_xor_sync(~0u, v, d));
  return v;
}

__global__ void max_kernel(const int* x, int n, int* partial, unsigned* done, int* result) {
  __shared__ int wmax[NT / 32];
  __shared__ bool last;
  int t = threadIdx.x;

  int m = INT_MIN;
  for (int i = blockIdx.x * NT + t; i < n; i += gridDim.x * NT) m = max(m, x[i]);
  __syncthreads();
  m = warp_max(m);
  if (t % 32 == 0) wmax[t / 32] = m;
  __syncthreads();
  if (t < 32) {
    m = t < NT / 32 ? wmax[t] : INT_MIN;
    m = warp_max(m);
    if (t == 0) {
      partial[blockIdx.x] = m;
      __threadfence();
      last = atomicAdd(done, 1u) == gridDim.x - 1;
      __threadfence();
    }
  }
  __syncthreads();
  if (last) {
    __syncthreads();
    m = INT_MIN;
    for (int i = t; i < (int)gridDim.x; i += NT) m = max(m, __ldcg(partial + i));
    m = warp_max(m);
    if (t % 32 == 0) wmax[t / 32] = m;
    __syncthreads();
    if (t == 0) {
      for (int w = 0; w < NT / 32; ++w) m = max(m, wmax[w]);
      *result = m;
    }
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1500;
  unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
  if (n <= 0 || n > 50000000) {
    fprintf(stderr, "n must be in 1..50000000\n");
    return 2;
  }
  std::vector<int> h(n);
  int want = INT_MIN;
  for (int& v : h) {
    seed = seed * 747796405u + 2891336453u;
    v = (int)(seed ^ (seed >> 9));
    if (v > want) want = v;
  }
  int grid = (n + 8 * NT - 1) / (8 * NT);  // at least 8 values per thread
  if (grid > 1024) grid = 1024;

  int *dx, *dpart, *dres, got = 0;
  unsigned* ddone;
  cudaTry(cudaMalloc(&dx, n * sizeof(int)));
  cudaTry(cudaMalloc(&dpart, grid * sizeof(int)));
  cudaTry(cudaMalloc(&dres, sizeof(int)));
  cudaTry(cudaMalloc(&ddone, sizeof(unsigned)));
  cudaTry(cudaMemset(ddone, 0, sizeof(unsigned)));
  cudaTry(cudaMemcpy(dx, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  max_kernel<<<grid, NT>>>(dx, n, dpart, ddone, dres);
  cudaTry(cudaGetLastError());
  cudaTry(cudaMemcpy(&got, dres, sizeof(int), cudaMemcpyDeviceToHost));
  if (got != want) {
    printf("FAIL %d instead of %d\n", got, want);
    return 1;
  }
  printf("PASS %d\n", got);
  return 0;
}
