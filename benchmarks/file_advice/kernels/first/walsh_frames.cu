// Walsh-Hadamard transform of frames of 64 samples, one warp per frame, four frames per block.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int N = 64;
constexpr int FRAMES_PER_BLOCK = 4;

static bool ok(cudaError_t e) {
  if (e != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(e));
  return e == cudaSuccess;
}

__global__ void walsh64(const int* in, int* out, int frames) {
  __shared__ int buf[FRAMES_PER_BLOCK][N];
  const int lane = threadIdx.x;
  const int frame = blockIdx.x * FRAMES_PER_BLOCK + threadIdx.y;
  const bool live = frame < frames;
  int* s = buf[threadIdx.y];

  __syncthreads();
  const int* f = in + (live ? frame : 0) * N;
  s[lane] = f[lane], s[lane + 32] = f[lane + 32];
  __syncthreads();

  for (int h = 1; h < N; h *= 2) {
    const int j = lane / h * 2 * h + lane % h;
    const int a = s[j], b = s[j + h];
    __syncthreads();  // operands fetched
    s[j] = a + b, s[j + h] = a - b;
    __syncthreads();  // stage done
  }
  if (live) {
    int* o = out + frame * N;
    o[lane] = s[lane], o[lane + 32] = s[lane + 32];
  }
}

int main(int argc, char** argv) {
  const int frames = argc > 1 ? atoi(argv[1]) : 101;
  unsigned seed = argc > 2 ? strtoul(argv[2], nullptr, 10) : 2024;
  if (frames <= 0 || frames > 100000) {
    fprintf(stderr, "frames: 1..100000\n");
    return 2;
  }
  const size_t total = (size_t)frames * N;
  std::vector<int> x(total), y(total);
  for (int& v : x) {
    seed = seed * 1103515245u + 12345u;
    v = int(seed >> 20) - 2048;
  }
  int *dx, *dy;
  if (!ok(cudaMalloc(&dx, total * sizeof(int))) || !ok(cudaMalloc(&dy, total * sizeof(int)))) return 1;
  if (!ok(cudaMemcpy(dx, x.data(), total * sizeof(int), cudaMemcpyHostToDevice))) return 1;
  walsh64<<<(frames + FRAMES_PER_BLOCK - 1) / FRAMES_PER_BLOCK, dim3(32, FRAMES_PER_BLOCK)>>>(dx, dy, frames);
  if (!ok(cudaGetLastError())) return 1;
  if (!ok(cudaMemcpy(y.data(), dy, total * sizeof(int), cudaMemcpyDeviceToHost))) return 1;

  unsigned check = 0;
  for (int f = 0; f < frames; ++f) {
    for (int k = 0; k < N; ++k) {
      int want = 0;
      for (int i = 0; i < N; ++i) {
        int bits = k & i, parity = 0;
        for (; bits; bits &= bits - 1) parity ^= 1;
        want += parity ? -x[(size_t)f * N + i] : x[(size_t)f * N + i];
      }
      if (want != y[(size_t)f * N + k]) {
        printf("FAIL frame %d coefficient %d\n", f, k);
        return 1;
      }
      check = check * 17u + (unsigned)want;
    }
  }
  printf("PASS %u\n", check);
  return 0;
}
