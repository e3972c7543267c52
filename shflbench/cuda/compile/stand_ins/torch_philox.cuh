// States of random numbers of ATen/cuda/PhiloxCudaState.h, for files that are compiled without PyTorch: those outside of
// the capture of a CUDA graph, whose seed and offset are numbers.
#include <tuple>
#ifndef SHFLBENCH_TORCH_PHILOX
#define SHFLBENCH_TORCH_PHILOX
namespace at {
struct PhiloxCudaState {
  uint64_t seed_, offset_, offset_intragraph_;
  bool captured_;
};
namespace cuda::philox {
__device__ __forceinline__ std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState state) {
  return std::make_tuple(state.seed_, state.offset_);
}
}  // namespace cuda::philox
}  // namespace at
#endif
