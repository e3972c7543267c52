// Three styles of memory that frees itself: a smart pointer through an alias template, a class that converts to a
// pointer, and a shared pointer with a lambda expression as its deleter.
#include <cuda_runtime.h>

#include <memory>
#include <utility>
#include <vector>

namespace gpu {
struct Free {
  template <class T> void operator()(T *p) const noexcept { cudaFree(p); }
};
template <class T, class D = Free> using ptr = std::unique_ptr<T[], D>;
template <class T> ptr<T> alloc(std::size_t n) {
  void *p = nullptr;
  cudaMalloc(&p, n * sizeof(T));
  return ptr<T>{static_cast<T *>(p)};
}

template <class T> class Buffer {
 public:
  explicit Buffer(std::size_t n) : n_(n) { cudaMalloc(reinterpret_cast<void **>(&p_), n * sizeof(T)); }
  explicit Buffer(const std::vector<T> &v) : Buffer(v.size()) {
    cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  Buffer(Buffer &&o) noexcept : p_(std::exchange(o.p_, nullptr)), n_(o.n_) {}
  ~Buffer() { cudaFree(p_); }
  operator T *() { return p_; }
  int size() const { return static_cast<int>(n_); }

 private:
  T *p_ = nullptr;
  std::size_t n_ = 0;
};
struct Log {
  std::vector<float> times;
};
}  // namespace gpu

template <class T> auto shared(std::size_t n) -> std::shared_ptr<T> {
  T *p;
  cudaMalloc(&p, n * sizeof(T));
  return {p, [](T *q) { cudaFree(q); }};
}

__global__ void twice_by_sum(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i];
}
__global__ void twice_by_product(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void next_by_index(const int *in, int *out, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[(i + step) % n];
}
__global__ void next_by_wrap(const int *in, int *out, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + step < n ? i + step : i + step - n];
}
__global__ void product_one(const double *x, const double *y, double *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * y[i];
}
__global__ void product_other(const double *x, const double *y, double *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i] * x[i];
}

int main() {
  std::vector<float> h(600);
  for (int i = 0; i < 600; ++i) h[i] = 0.5f * (i % 17);
  auto in = gpu::alloc<float>(h.size());
  gpu::ptr<float> sum = gpu::alloc<float>(h.size()), product;
  product = gpu::alloc<float>(h.size());
  cudaMemcpy(in.get(), h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  twice_by_sum<<<5, 128>>>(in.get(), sum.get(), 600);
  twice_by_product<<<5, 128>>>(in.get(), product.get(), 600);

  std::vector<int> ints(500);
  for (int i = 0; i < 500; ++i) ints[i] = i * i % 101;
  gpu::Buffer<int> from(ints), one(ints.size());
  auto other = std::make_unique<gpu::Buffer<int>>(ints.size());
  next_by_index<<<4, 128>>>(from, one, from.size(), 1);
  next_by_wrap<<<4, 128>>>(from, *other, from.size(), 1);

  auto x = shared<double>(400), y = shared<double>(400), z = shared<double>(400);
  std::vector<double> values(400, 1.25);
  cudaMemcpy(x.get(), values.data(), 3200, cudaMemcpyHostToDevice);
  cudaMemcpy(y.get(), values.data(), 3200, cudaMemcpyHostToDevice);
  product_one<<<4, 128>>>(x.get(), y.get(), z.get(), 400);
  product_other<<<4, 128>>>(x.get(), y.get(), z.get(), 400);
}
