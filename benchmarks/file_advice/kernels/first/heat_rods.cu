// Explicit heat equation on many short rods (64 inner points, ends held at zero), fixed point.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

namespace {
constexpr int kPoints = 64;
constexpr int kRods = 2;  // per block

void must(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "cuda: %s\n", cudaGetErrorString(e));
  std::exit(1);
}
}  // namespace

__global__ void heatSteps(const int* start, int* result, int rods, int steps) {
  __shared__ int a[2][kRods][kPoints + 2];
  const int x = threadIdx.x, y = threadIdx.y;
  const int rod = blockIdx.x * kRods + y;
  int here = rod < rods ? start[rod * kPoints + x] : 0;

  a[0][y][x + 1] = here;
  if (x == 0) a[0][y][0] = a[1][y][0] = 0;
  if (x == kPoints - 1) a[0][y][kPoints + 1] = a[1][y][kPoints + 1] = 0;
  __syncthreads();

  int cur = 0;
  for (int s = 0; s < steps; ++s) {
    const int left = a[cur][y][x];
    const int right = a[cur][y][x + 2];
    here = (left + 2 * here + right) >> 2;
    __syncthreads();
    a[cur ^ 1][y][x + 1] = here;
    __syncthreads();
    cur ^= 1;
  }
  if (rod < rods) result[rod * kPoints + x] = a[cur][y][x + 1];
}

int main(int argc, char** argv) {
  const int rods = argc > 1 ? std::atoi(argv[1]) : 33;
  const unsigned seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (rods <= 0 || rods > 100000) {
    std::fprintf(stderr, "number of rods must be in 1..100000\n");
    return 2;
  }
  const int steps = 1 + seed % 9;
  const size_t n = size_t(rods) * kPoints;
  std::vector<int> h(n), got(n);
  for (size_t i = 0; i < n; ++i) h[i] = int((i * 48271u + seed * 16807u) % 65521u);

  int *dA, *dB;
  must(cudaMalloc(&dA, n * sizeof(int)));
  must(cudaMalloc(&dB, n * sizeof(int)));
  must(cudaMemcpy(dA, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  heatSteps<<<(rods + kRods - 1) / kRods, dim3(kPoints, kRods)>>>(dA, dB, rods, steps);
  must(cudaGetLastError());
  must(cudaMemcpy(got.data(), dB, n * sizeof(int), cudaMemcpyDeviceToHost));

  long long sum = 0;
  for (int r = 0; r < rods; ++r) {
    int u[kPoints + 2] = {0}, v[kPoints + 2] = {0};
    for (int x = 0; x < kPoints; ++x) u[x + 1] = h[size_t(r) * kPoints + x];
    for (int s = 0; s < steps; ++s) {
      for (int x = 1; x <= kPoints; ++x) v[x] = (u[x - 1] + 2 * u[x] + u[x + 1]) >> 2;
      for (int x = 1; x <= kPoints; ++x) u[x] = v[x];
    }
    for (int x = 0; x < kPoints; ++x) {
      if (u[x + 1] != got[size_t(r) * kPoints + x]) {
        std::printf("FAIL rod %d point %d\n", r, x);
        return 1;
      }
      sum += u[x + 1];
    }
  }
  std::printf("PASS %lld\n", sum);
  return 0;
}
