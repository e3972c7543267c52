// Autocorrelation of frames of 256 samples at one lag.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int FRAME = 256;
constexpr int WARPS = FRAME / 32;

#define gpuErrchk(call) { gpuAssert((call), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char* file, int line) {
  if (code != cudaSuccess) {
    fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
    exit(code);
  }
}

__device__ long long warpSum(long long v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void autocorr(const int* x, long long* r, int frames, int lag) {
  __shared__ int s[FRAME];
  __shared__ long long part[WARPS];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;

  for (int f = blockIdx.x; f < frames; f += gridDim.x) {
    const int mine = x[f * FRAME + t];
    s[t] = mine;
    __syncthreads();
    long long p = 0;
    if (t + lag < FRAME) p = (long long)mine * s[t + lag];
    __syncwarp();  // reconverge before the shuffles
    p = warpSum(p);
    if (lane == 0) part[warp] = p;
    __syncthreads();
    if (warp == 0) {
      p = lane < WARPS ? part[lane] : 0;
      p = warpSum(p);
      if (lane == 0) r[f] = p;
    }
    __syncthreads();  // before s and part are reused
  }
}

int main(int argc, char** argv) {
  int frames = argc > 1 ? atoi(argv[1]) : 16;
  unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
  if (frames < 1 || frames > 100000) {
    fprintf(stderr, "1 to 100000 frames\n");
    return 2;
  }
  const int lag = seed % 200;  // seed 0: energy

  std::vector<int> x((size_t)frames * FRAME);
  unsigned z = seed + 17;
  for (auto& v : x) {
    z = z * 1664525u + 1013904223u;
    v = int(z >> 21) - 1024;
  }
  int* dx;
  long long* dr;
  gpuErrchk(cudaMalloc(&dx, x.size() * sizeof(int)));
  gpuErrchk(cudaMalloc(&dr, frames * sizeof(long long)));
  gpuErrchk(cudaMemcpy(dx, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice));
  autocorr<<<frames < 16 ? frames : 16, FRAME>>>(dx, dr, frames, lag);
  gpuErrchk(cudaGetLastError());
  std::vector<long long> r(frames);
  gpuErrchk(cudaMemcpy(r.data(), dr, frames * sizeof(long long), cudaMemcpyDeviceToHost));

  long long check = 0;
  for (int f = 0; f < frames; ++f) {
    long long want = 0;
    const int* v = x.data() + (size_t)f * FRAME;
    for (int t = 0; t + lag < FRAME; ++t) want += (long long)v[t] * v[t + lag];
    if (want != r[f]) {
      printf("FAIL frame %d: %lld, not %lld\n", f, r[f], want);
      return 1;
    }
    check ^= want * (f + 1);
  }
  printf("PASS %lld\n", check);
  return 0;
}
