// For CUDA 12, whose cub::Max and thrust::unary_function CUDA 13 removed. No hazard.
#include <cub/cub.cuh>
#include <thrust/functional.h>

struct Twice : public thrust::unary_function<int, int> {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

__global__ void largest(const int *in, int *out) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  int value = Twice()(in[blockIdx.x * 128 + threadIdx.x]);
  int most = Reduce(storage).Reduce(value, cub::Max());
  if (threadIdx.x == 0) out[blockIdx.x] = most;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  largest<<<2, 128>>>(in, out);
}
