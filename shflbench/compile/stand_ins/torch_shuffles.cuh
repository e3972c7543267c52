// Shuffles, votes and loads of ATen/cuda/DeviceUtils.cuh, for files that are compiled without PyTorch.
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
#endif
