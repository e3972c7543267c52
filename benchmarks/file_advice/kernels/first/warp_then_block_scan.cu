// Prefix sums of segments: each block scans one segment of at most 1024 values.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static inline void ck(cudaError_t e, const char* what) {
  if (e != cudaSuccess) { fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(e)); exit(1); }
}

__global__ void __launch_bounds__(1024) segmentScan(const int* in, int* out, int n) {
  __shared__ int vals[1024];
  __shared__ int warpSum[32];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int i = blockIdx.x * blockDim.x + tid;

  int x = i < n ? in[i] : 0;
  vals[tid] = x;
  __syncthreads();
  for (int d = 1; d < 32; d <<= 1) {
    int y = lane >= d ? vals[tid - d] : 0;
    __syncwarp();
    x += y;
    vals[tid] = x;
    __syncwarp();
  }
  if (lane == 31) warpSum[warp] = x;
  __syncthreads();
  int offset = 0;
  for (int w = 0; w < warp; ++w) offset += warpSum[w];
  __syncthreads();
  if (i < n) out[i] = x + offset;
}

int main(int argc, char** argv) {
  int n = 24;  // one small segment
  unsigned seed = 5;
  if (argc > 1) n = atoi(argv[1]);
  if (argc > 2) seed = (unsigned)strtoul(argv[2], NULL, 10);
  if (n < 1 || n > 10000000) { fprintf(stderr, "n out of range\n"); return 2; }

  const int block = n >= 1024 ? 1024 : (n + 31) / 32 * 32;
  const int grid = (n + block - 1) / block;
  std::vector<int> h(n), got(n);
  srand(seed);
  for (int i = 0; i < n; ++i) h[i] = rand() % 100 - 30;

  int *dIn = 0, *d_out = 0;
  ck(cudaMalloc(&dIn, sizeof(int) * n), "malloc in");
  ck(cudaMalloc(&d_out, sizeof(int) * n), "malloc out");
  ck(cudaMemcpy(dIn, h.data(), sizeof(int) * n, cudaMemcpyHostToDevice), "upload");
  segmentScan<<<grid, block>>>(dIn, d_out, n);
  ck(cudaGetLastError(), "launch");
  ck(cudaMemcpy(got.data(), d_out, sizeof(int) * n, cudaMemcpyDeviceToHost), "download");

  long long sum = 0;
  int run = 0;
  for (int i = 0; i < n; ++i) {
    if (i % block == 0) run = 0;
    run += h[i];
    if (run != got[i]) { printf("FAIL %d\n", i); return 1; }
    sum += run;
  }
  printf("PASS %lld\n", sum);
  cudaFree(dIn);
  cudaFree(d_out);
  return 0;
}
