// Shuffles, votes and loads of ATen/cuda/DeviceUtils.cuh, and reductions of ATen/native/cuda/block_reduce.cuh, for files that are compiled without PyTorch.
#ifndef SHFLBENCH_TORCH_SHUFFLES
#define SHFLBENCH_TORCH_SHUFFLES
#define SHFLBENCH_SHUFFLE(name, shuffle, type)                                                            \
  template <typename T>                                                                                   \
  __device__ __forceinline__ T name(T value, type lane, int width = 32, unsigned mask = 0xffffffff) {     \
    return shuffle(mask, value, lane, width);                                                             \
  }                                                                                                       \
  __device__ __forceinline__ c10::Half name(c10::Half value, type lane, int width = 32,                   \
                                            unsigned mask = 0xffffffff) {                                 \
    return c10::Half(shuffle(mask, value.x, lane, width), c10::Half::from_bits());                        \
  }                                                                                                       \
  __device__ __forceinline__ c10::BFloat16 name(c10::BFloat16 value, type lane, int width = 32,           \
                                                unsigned mask = 0xffffffff) {                             \
    return c10::BFloat16(shuffle(mask, value.x, lane, width), c10::BFloat16::from_bits());                \
  }
SHFLBENCH_SHUFFLE(WARP_SHFL, __shfl_sync, int)
SHFLBENCH_SHUFFLE(WARP_SHFL_UP, __shfl_up_sync, unsigned)
SHFLBENCH_SHUFFLE(WARP_SHFL_DOWN, __shfl_down_sync, unsigned)
SHFLBENCH_SHUFFLE(WARP_SHFL_XOR, __shfl_xor_sync, int)
#undef SHFLBENCH_SHUFFLE
__device__ __forceinline__ unsigned WARP_ACTIVE_MASK() { return __activemask(); }
__device__ __forceinline__ void WARP_SYNC(unsigned mask = 0xffffffff) { __syncwarp(mask); }
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) {
  return __ballot_sync(mask, predicate);
}
template <typename T>
__device__ __forceinline__ T doLdg(const T *address) {
  return __ldg(address);
}
template <typename T>
__host__ __device__ constexpr T THCCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
namespace at::native::cuda_utils {
constexpr int kCUDABlockReduceNumThreads = 512;
constexpr int kCUDABlockReduceMaxThreads = 32 * 32;
struct Block1D {
  static __device__ __forceinline__ int Tid() { return threadIdx.x; }
  static __device__ __forceinline__ int Warps() { return blockDim.x / 32; }
};
struct Block2D {
  static __device__ __forceinline__ int Tid() { return threadIdx.x + threadIdx.y * blockDim.x; }
  static __device__ __forceinline__ int Warps() { return blockDim.x * blockDim.y / 32; }
};
template <typename T, typename Reduce, typename Block>
__device__ __forceinline__ T SHFLBENCH_reduced(T value, T *shared, T identity, const Reduce &of_warp) {
  const int lane = Block::Tid() % 32, warp = Block::Tid() / 32;
  value = of_warp(value);
  __syncthreads();  // reductions may follow each other
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = Block::Tid() < Block::Warps() ? shared[lane] : identity;
  return warp == 0 ? of_warp(value) : value;
}
template <typename T>
__device__ __forceinline__ T WarpReduceSum(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) value += WARP_SHFL_DOWN(value, offset);
  return value;
}
template <typename T>
__device__ __forceinline__ T WarpReduceMax(T value) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    T other = WARP_SHFL_DOWN(value, offset);
    value = value != value || value > other ? value : other;  // not a number, if one is not
  }
  return value;
}
template <typename T, class Op>
__device__ __forceinline__ T WarpReduce(T value, const Op &op) {
  for (int offset = 16; offset > 0; offset >>= 1) value = op.combine(value, op.warp_shfl_down(value, offset));
  return value;
}
template <typename T, typename Block = Block1D>
__device__ __forceinline__ T BlockReduceSum(T value, T *shared) {
  auto of_warp = [](T item) { return WarpReduceSum(item); };
  return SHFLBENCH_reduced<T, decltype(of_warp), Block>(value, shared, T(0), of_warp);
}
template <typename T, typename Block = Block1D>
__device__ __forceinline__ T BlockReduceMax(T value, T *shared) {
  auto of_warp = [](T item) { return WarpReduceMax(item); };
  return SHFLBENCH_reduced<T, decltype(of_warp), Block>(value, shared, T(0), of_warp);
}
template <typename T, class Op, typename Block = Block1D>
__device__ __forceinline__ T BlockReduce(T value, const Op &op, const T &identity, T *shared) {
  auto of_warp = [&op](T item) { return WarpReduce(item, op); };
  return SHFLBENCH_reduced<T, decltype(of_warp), Block>(value, shared, identity, of_warp);
}
}  // namespace at::native::cuda_utils
#endif
