// Atomics of ATen/cuda/Atomic.cuh and ATen/native/cuda/KernelUtils.cuh, for files that are compiled without PyTorch.
#ifndef SHFLBENCH_TORCH_ATOMICS
#define SHFLBENCH_TORCH_ATOMICS
inline __device__ c10::Half atomicAdd(c10::Half *address, c10::Half value) {
  return atomicAdd(reinterpret_cast<__half *>(address), static_cast<__half>(value));
}
inline __device__ c10::BFloat16 atomicAdd(c10::BFloat16 *address, c10::BFloat16 value) {
  return c10::BFloat16(atomicAdd(reinterpret_cast<__nv_bfloat16 *>(address), static_cast<__nv_bfloat16>(value)));
}
inline __device__ int64_t atomicAdd(int64_t *address, int64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long *>(address), static_cast<unsigned long long>(value));
}
template <typename T, typename Word, typename Operation>
inline __device__ T SHFLBENCH_exchanged(T *address, Operation operation) {
  Word *word = reinterpret_cast<Word *>(address);
  Word expected, old = atomicCAS(word, Word(0), Word(0));  // PyTorch reads plainly, which users cannot change
  do {
    expected = old;
    T next = operation(*reinterpret_cast<T *>(&expected));
    old = atomicCAS(word, expected, *reinterpret_cast<Word *>(&next));
  } while (old != expected);
  return *reinterpret_cast<T *>(&old);
}
template <typename T>
struct SHFLBENCH_value {
  using type = T;
};
template <typename T>
inline __device__ T gpuAtomicAdd(T *address, typename SHFLBENCH_value<T>::type value) {
  return atomicAdd(address, value);
}
template <typename T>
inline __device__ void gpuAtomicAddNoReturn(T *address, typename SHFLBENCH_value<T>::type value) {
  gpuAtomicAdd(address, value);
}
#define SHFLBENCH_ATOMIC(name, result)                                                                    \
  inline __device__ float name(float *address, float b) {                                                 \
    return SHFLBENCH_exchanged<float, unsigned>(address, [=](float a) { return result; });                \
  }                                                                                                       \
  inline __device__ double name(double *address, double b) {                                              \
    return SHFLBENCH_exchanged<double, unsigned long long>(address, [=](double a) { return result; });    \
  }                                                                                                       \
  inline __device__ int name(int *address, int b) {                                                       \
    return SHFLBENCH_exchanged<int, unsigned>(address, [=](int a) { return result; });                    \
  }                                                                                                       \
  inline __device__ int64_t name(int64_t *address, int64_t b) {                                           \
    return SHFLBENCH_exchanged<int64_t, unsigned long long>(address, [=](int64_t a) { return result; });  \
  }
SHFLBENCH_ATOMIC(gpuAtomicMul, a * b)
SHFLBENCH_ATOMIC(gpuAtomicMax, a > b || a != a ? a : b)
SHFLBENCH_ATOMIC(gpuAtomicMin, a < b || a != a ? a : b)
#undef SHFLBENCH_ATOMIC
namespace at::native {
template <typename T, typename index_t>
__device__ __forceinline__ void fastAtomicAdd(T *tensor, index_t index, const index_t, T value, bool) {
  gpuAtomicAddNoReturn(tensor + index, value);
}
}  // namespace at::native
#endif
