// Time reversal of frames of 128 samples with a pairwise difference of the reversed signal.
// Works in place, too: source and destination may be the same array.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kFrame = 128;

#define GPU(x)                                                                    \
  do {                                                                            \
    if (cudaError_t e = (x); e != cudaSuccess) {                                  \
      std::fprintf(stderr, "GPU error %d in line %d\n", static_cast<int>(e), __LINE__); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

// no __restrict__: src may be dst
__global__ void reverseFrames(const int* src, int* dst, int n) {
  __shared__ int s[kFrame];
  const int t = threadIdx.x;
  const int base = blockIdx.x * kFrame;
  const int len = min(kFrame, n - base);

  const int v = t < len ? src[base + len - 1 - t] : 0;
  s[t] = v;
  __syncwarp();
  const int partner = s[t ^ 1];
  const int y = t & 1 ? partner - v : v + partner;

  __syncthreads();
  if (t < len) dst[base + t] = y;
  __syncthreads();
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 3000;
  const unsigned seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2;
  if (n <= 0 || n > 4000000) {
    std::fprintf(stderr, "length must be 1..4000000\n");
    return 2;
  }
  std::vector<int> x(n), got(n);
  for (int i = 0; i < n; ++i) x[i] = int((i ^ (i >> 3)) * 1234567u + seed * 99991u) >> 8;

  int *src, *dst;
  GPU(cudaMalloc(&src, n * sizeof(int)));
  const bool inPlace = seed & 1;
  if (inPlace) {
    dst = src;
  } else {
    GPU(cudaMalloc(&dst, n * sizeof(int)));
  }
  GPU(cudaMemcpy(src, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reverseFrames<<<(n + kFrame - 1) / kFrame, kFrame>>>(src, dst, n);
  GPU(cudaGetLastError());
  GPU(cudaMemcpy(got.data(), dst, n * sizeof(int), cudaMemcpyDeviceToHost));

  long long check = 0;
  for (int base = 0; base < n; base += kFrame) {
    const int len = n - base < kFrame ? n - base : kFrame;
    auto rev = [&](int t) { return t < len ? x[base + len - 1 - t] : 0; };
    for (int t = 0; t < len; ++t) {
      const int want = t & 1 ? rev(t - 1) - rev(t) : rev(t) + rev(t + 1);
      if (got[base + t] != want) {
        std::printf("FAIL %d: %d, expected %d\n", base + t, got[base + t], want);
        return 1;
      }
      check += (long long)want * (t + 1);
    }
  }
  std::printf("PASS %lld\n", check);
  if (!inPlace) GPU(cudaFree(dst));
  GPU(cudaFree(src));
  return 0;
}
