// What device code uses of PyTorch's headers, for files that are compiled without PyTorch.
//
// Names, layouts and results are those of ATen and c10; tensors, streams and guards, which only host code uses, are
// left out. Sources: c10/util/Half.h, c10/util/BFloat16.h, c10/util/complex.h, c10/macros/Macros.h,
// ATen/AccumulateType.h, ATen/OpMathType.h, ATen/core/TensorAccessor.h, ATen/cuda/detail/TensorInfo.cuh,
// ATen/NumericLimits.cuh, ATen/ceil_div.h, ATen/cuda/AsmUtils.cuh, ATen/native/cuda/MemoryAccess.cuh,
// c10/cuda/CUDAMathCompat.h. Files have their own functions of the names of other headers, which only these define.
#include <cuda.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#ifndef SHFLBENCH_TORCH
#define SHFLBENCH_TORCH
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE __forceinline__
#define C10_RESTRICT __restrict__
#define C10_LIKELY(condition) (condition)
#define C10_UNLIKELY(condition) (condition)
#define C10_WARP_SIZE 32
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__(threads)
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__(threads, blocks)
#define C10_MAX_THREADS_PER_BLOCK(threads) (threads)
#define C10_MIN_BLOCKS_PER_SM(threads, blocks) (blocks)
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_ASSERT_MSG(condition, message) assert(condition)
#define CUDA_KERNEL_ASSERT2(condition) assert(condition)
// The counter has 64 bits whatever the type of the index is, which may be too narrow for the sum at the end.
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                                             \
  int64_t shflbench_at = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;                 \
  for (type i = shflbench_at; shflbench_at < (n); shflbench_at += blockDim.x * gridDim.x, i = shflbench_at)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace c10 {
enum class DeviceType : int8_t { CPU = 0, CUDA = 1, COMPILE_TIME_MAX_DEVICE_TYPES = 21 };
enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, BFloat16 = 15 };
struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  static __host__ __device__ constexpr from_bits_t from_bits() { return from_bits_t(); }
  Half() = default;
  __host__ __device__ constexpr Half(unsigned short bits, from_bits_t) : x(bits) {}
  __device__ Half(float value) : x(__half_as_ushort(__float2half_rn(value))) {}
  __device__ Half(const __half &value) : x(__half_as_ushort(value)) {}
  __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
  __device__ operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  struct from_bits_t {};
  static __host__ __device__ constexpr from_bits_t from_bits() { return from_bits_t(); }
  BFloat16() = default;
  __host__ __device__ constexpr BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  __device__ BFloat16(float value) : x(__bfloat16_as_ushort(__float2bfloat16_rn(value))) {}
  __device__ explicit BFloat16(const __nv_bfloat16 &value) : x(__bfloat16_as_ushort(value)) {}
  __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
  __device__ explicit operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
#define SHFLBENCH_OPERATOR(T, op)                                                             \
  inline __device__ T operator op(const T &a, const T &b) { return static_cast<float>(a) op static_cast<float>(b); } \
  inline __device__ T &operator op##=(T & a, const T & b) { return a = a op b; }              \
  inline __device__ float operator op(T a, float b) { return static_cast<float>(a) op b; }    \
  inline __device__ float operator op(float a, T b) { return a op static_cast<float>(b); }    \
  inline __device__ float &operator op##=(float &a, const T & b) { return a = a op static_cast<float>(b); } \
  inline __device__ double operator op(T a, double b) { return static_cast<double>(a) op b; } \
  inline __device__ double operator op(double a, T b) { return a op static_cast<double>(b); } \
  inline __device__ T operator op(T a, int b) { return a op static_cast<T>(b); }              \
  inline __device__ T operator op(int a, T b) { return static_cast<T>(a) op b; }              \
  inline __device__ T operator op(T a, int64_t b) { return a op static_cast<T>(b); }          \
  inline __device__ T operator op(int64_t a, T b) { return static_cast<T>(a) op b; }
#define SHFLBENCH_OPERATORS(T)                                                            \
  SHFLBENCH_OPERATOR(T, +)                                                                \
  SHFLBENCH_OPERATOR(T, -)                                                                \
  SHFLBENCH_OPERATOR(T, *)                                                                \
  SHFLBENCH_OPERATOR(T, /)                                                                \
  inline __device__ T operator-(const T &a) { return -static_cast<float>(a); }            \
  inline __device__ T __ldg(const T *address) {                                           \
    return T(::__ldg(reinterpret_cast<const unsigned short *>(address)), T::from_bits()); \
  }
SHFLBENCH_OPERATORS(Half)
SHFLBENCH_OPERATORS(BFloat16)
#undef SHFLBENCH_OPERATORS
#undef SHFLBENCH_OPERATOR
// Files may use the operators of __half, too, between which and those of float a comparison could not choose. Only two
// values of one type are compared so: those of a number and a Half are numbers.
template <typename T>
struct SHFLBENCH_Compared;
template <>
struct SHFLBENCH_Compared<Half> {
  using result = bool;
};
template <>
struct SHFLBENCH_Compared<BFloat16> {
  using result = bool;
};
#define SHFLBENCH_COMPARISON(op)                                                                         \
  template <typename T>                                                                                  \
  inline __device__ typename SHFLBENCH_Compared<T>::result operator op(const T &a, const T &b) {         \
    return static_cast<float>(a) op static_cast<float>(b);                                               \
  }
SHFLBENCH_COMPARISON(==)
SHFLBENCH_COMPARISON(!=)
SHFLBENCH_COMPARISON(<)
SHFLBENCH_COMPARISON(<=)
SHFLBENCH_COMPARISON(>)
SHFLBENCH_COMPARISON(>=)
#undef SHFLBENCH_COMPARISON

template <typename T>
struct alignas(sizeof(T) * 2) complex {
  using value_type = T;
  T real_ = T(0), imag_ = T(0);
  constexpr complex() = default;
  __host__ __device__ constexpr complex(const T &re, const T &im = T()) : real_(re), imag_(im) {}
  __host__ __device__ constexpr T real() const { return real_; }
  __host__ __device__ constexpr T imag() const { return imag_; }
  __host__ __device__ complex &operator+=(const complex &b) { return *this = complex(real_ + b.real_, imag_ + b.imag_); }
  __host__ __device__ complex &operator-=(const complex &b) { return *this = complex(real_ - b.real_, imag_ - b.imag_); }
  __host__ __device__ complex &operator*=(const complex &b) {
    return *this = complex(real_ * b.real_ - imag_ * b.imag_, real_ * b.imag_ + imag_ * b.real_);
  }
  friend __host__ __device__ complex operator+(complex a, const complex &b) { return a += b; }
  friend __host__ __device__ complex operator-(complex a, const complex &b) { return a -= b; }
  friend __host__ __device__ complex operator*(complex a, const complex &b) { return a *= b; }
};

template <typename T>
struct scalar_value_type {
  using type = T;
};
template <typename T>
struct scalar_value_type<complex<T>> {
  using type = T;
};

namespace cuda::compat {
#define SHFLBENCH_COMPAT(name, function)                                       \
  inline __device__ float name(float x) { return ::function##f(x); }           \
  inline __device__ double name(double x) { return ::function(x); }
#define SHFLBENCH_COMPAT_OF_TWO(name, function)                                          \
  inline __device__ float name(float x, float y) { return ::function##f(x, y); }         \
  inline __device__ double name(double x, double y) { return ::function(x, y); }
SHFLBENCH_COMPAT(abs, fabs)
SHFLBENCH_COMPAT(exp, exp)
SHFLBENCH_COMPAT(ceil, ceil)
SHFLBENCH_COMPAT(floor, floor)
SHFLBENCH_COMPAT(log, log)
SHFLBENCH_COMPAT(log1p, log1p)
SHFLBENCH_COMPAT(sqrt, sqrt)
SHFLBENCH_COMPAT(rsqrt, rsqrt)
SHFLBENCH_COMPAT(tan, tan)
SHFLBENCH_COMPAT(tanh, tanh)
SHFLBENCH_COMPAT(normcdf, normcdf)
SHFLBENCH_COMPAT_OF_TWO(copysign, copysign)
SHFLBENCH_COMPAT_OF_TWO(max, fmax)
SHFLBENCH_COMPAT_OF_TWO(min, fmin)
SHFLBENCH_COMPAT_OF_TWO(pow, pow)
#undef SHFLBENCH_COMPAT
#undef SHFLBENCH_COMPAT_OF_TWO
inline __device__ void sincos(float x, float *sine, float *cosine) { ::sincosf(x, sine, cosine); }
inline __device__ void sincos(double x, double *sine, double *cosine) { ::sincos(x, sine, cosine); }
}  // namespace cuda::compat
}  // namespace c10

#ifdef _CUDA_STD_LIMITS  // where std:: is that of libcu++
#define SHFLBENCH_LIMITS_OF(T, lowest_, min_, max_, epsilon_, infinity_, nan)                             \
  template <>                                                                                             \
  class cuda::std::numeric_limits<T> {                                                                    \
   public:                                                                                                \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;  \
    static constexpr bool has_infinity = true, has_quiet_NaN = true;                                      \
    static __host__ __device__ constexpr T lowest() { return T(lowest_, T::from_bits()); }                \
    static __host__ __device__ constexpr T min() { return T(min_, T::from_bits()); }                      \
    static __host__ __device__ constexpr T max() { return T(max_, T::from_bits()); }                      \
    static __host__ __device__ constexpr T epsilon() { return T(epsilon_, T::from_bits()); }              \
    static __host__ __device__ constexpr T infinity() { return T(infinity_, T::from_bits()); }            \
    static __host__ __device__ constexpr T quiet_NaN() { return T(nan, T::from_bits()); }                 \
  };
SHFLBENCH_LIMITS_OF(c10::Half, 0xFBFF, 0x0400, 0x7BFF, 0x1400, 0x7C00, 0x7E00)
SHFLBENCH_LIMITS_OF(c10::BFloat16, 0xFF7F, 0x0080, 0x7F7F, 0x3C00, 0x7F80, 0x7FC0)
#undef SHFLBENCH_LIMITS_OF
#endif

namespace at {
using namespace c10;
class Tensor;
template <typename T, bool is_cuda>
struct AccumulateType;
#define SHFLBENCH_ACCUMULATE(T, device, host)   \
  template <>                                   \
  struct AccumulateType<T, true> {              \
    using type = device;                        \
  };                                            \
  template <>                                   \
  struct AccumulateType<T, false> {             \
    using type = host;                          \
  };
SHFLBENCH_ACCUMULATE(Half, float, float)
SHFLBENCH_ACCUMULATE(BFloat16, float, float)
SHFLBENCH_ACCUMULATE(__half, float, float)
SHFLBENCH_ACCUMULATE(float, float, double)
SHFLBENCH_ACCUMULATE(double, double, double)
SHFLBENCH_ACCUMULATE(signed char, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(unsigned char, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(char, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(short, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(int, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(int64_t, int64_t, int64_t)
SHFLBENCH_ACCUMULATE(bool, bool, bool)
SHFLBENCH_ACCUMULATE(complex<float>, complex<float>, complex<double>)
SHFLBENCH_ACCUMULATE(complex<double>, complex<double>, complex<double>)
#undef SHFLBENCH_ACCUMULATE
template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;

template <typename T>
struct OpMathType {
  using type = T;
};
template <>
struct OpMathType<Half> {
  using type = float;
};
template <>
struct OpMathType<BFloat16> {
  using type = float;
};
template <typename T>
using opmath_type = typename OpMathType<T>::type;

template <typename T>
struct numeric_limits;
#define SHFLBENCH_LIMITS_OF(T, smallest, largest, lower, upper)                 \
  template <>                                                                   \
  struct numeric_limits<T> {                                                    \
    static inline __host__ __device__ T lowest() { return smallest; }           \
    static inline __host__ __device__ T max() { return largest; }               \
    static inline __host__ __device__ T lower_bound() { return lower; }         \
    static inline __host__ __device__ T upper_bound() { return upper; }         \
  };
SHFLBENCH_LIMITS_OF(bool, false, true, false, true)
SHFLBENCH_LIMITS_OF(unsigned char, 0, 255, 0, 255)
SHFLBENCH_LIMITS_OF(signed char, -128, 127, -128, 127)
SHFLBENCH_LIMITS_OF(short, -32768, 32767, -32768, 32767)
SHFLBENCH_LIMITS_OF(int, -2147483647 - 1, 2147483647, -2147483647 - 1, 2147483647)
SHFLBENCH_LIMITS_OF(int64_t, -9223372036854775807L - 1, 9223372036854775807L, -9223372036854775807L - 1,
                    9223372036854775807L)
SHFLBENCH_LIMITS_OF(Half, Half(0xFBFF, Half::from_bits()), Half(0x7BFF, Half::from_bits()),
                    Half(0xFC00, Half::from_bits()), Half(0x7C00, Half::from_bits()))
SHFLBENCH_LIMITS_OF(BFloat16, BFloat16(0xFF7F, BFloat16::from_bits()), BFloat16(0x7F7F, BFloat16::from_bits()),
                    BFloat16(0xFF80, BFloat16::from_bits()), BFloat16(0x7F80, BFloat16::from_bits()))
SHFLBENCH_LIMITS_OF(float, -3.402823466e+38F, 3.402823466e+38F, -__int_as_float(0x7f800000),
                    __int_as_float(0x7f800000))
SHFLBENCH_LIMITS_OF(double, -1.7976931348623157e+308, 1.7976931348623157e+308,
                    -__longlong_as_double(0x7ff0000000000000LL), __longlong_as_double(0x7ff0000000000000LL))
#undef SHFLBENCH_LIMITS_OF

template <typename T>
__host__ __device__ constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}
template <typename T>
__host__ __device__ constexpr T round_up(T a, T b) {
  return ceil_div(a, b) * b;
}
namespace native::memory {
template <typename T, int vec_size>
struct alignas(sizeof(T) * vec_size) aligned_vector {
  T val[vec_size];
};
}  // namespace native::memory
namespace detail {
template <typename T, int size_>
struct Array {
  T data[size_];
  __host__ __device__ T operator[](int i) const { return data[i]; }
  __host__ __device__ T &operator[](int i) { return data[i]; }
  static constexpr __host__ __device__ int size() { return size_; }
};
}  // namespace detail

template <typename T>
struct DefaultPtrTraits {
  typedef T *PtrType;
};
template <typename T>
struct RestrictPtrTraits {
  typedef T *__restrict__ PtrType;
};
template <typename T, size_t N, template <typename U> class PtrTraits, typename index_t>
class SHFLBENCH_Accessor {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __device__ SHFLBENCH_Accessor(PtrType data, const index_t *sizes, const index_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __device__ index_t size(index_t i) const { return sizes_[i]; }
  __device__ index_t stride(index_t i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return SHFLBENCH_Accessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 protected:
  PtrType data_;
  const index_t *sizes_;
  const index_t *strides_;
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using TensorAccessor = SHFLBENCH_Accessor<T, N, PtrTraits, index_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __device__ index_t size(index_t i) const { return sizes_[i]; }
  __device__ index_t stride(index_t i) const { return strides_[i]; }
  __device__ PtrType data() const { return data_; }
  __device__ decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) {
      return (data_[strides_[0] * i]);
    } else {
      return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
    }
  }

 protected:
  PtrType data_;
  index_t sizes_[N];
  index_t strides_[N];
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

namespace cuda {
template <typename T>
__host__ __device__ constexpr T ATenCeilDiv(T a, T b) {
  return (a + b - 1) / b;
}
#define SHFLBENCH_LANE(name, word)                    \
  __device__ __forceinline__ unsigned name() {        \
    unsigned value;                                   \
    asm("mov.u32 %0, %%" #word ";" : "=r"(value));    \
    return value;                                     \
  }
__device__ __forceinline__ int getLaneId() {
  int value;
  asm("mov.s32 %0, %%laneid;" : "=r"(value));
  return value;
}
SHFLBENCH_LANE(getLaneMaskLt, lanemask_lt)
SHFLBENCH_LANE(getLaneMaskLe, lanemask_le)
SHFLBENCH_LANE(getLaneMaskGt, lanemask_gt)
SHFLBENCH_LANE(getLaneMaskGe, lanemask_ge)
#undef SHFLBENCH_LANE
namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
template <typename T, typename IndexType>
struct TensorInfo {
  T *data;
  IndexType sizes[25];
  IndexType strides[25];
  int dims;
};
template <typename T, typename IndexType, int Dims>
struct IndexToOffset {
  static __host__ __device__ IndexType get(IndexType index, const TensorInfo<T, IndexType> &info) {
    IndexType offset = 0;
    const int dims = Dims > 0 ? Dims : info.dims;
    for (int i = dims - 1; i > 0; --i) {
      offset += index % info.sizes[i] * info.strides[i];
      index /= info.sizes[i];
    }
    return offset + index * info.strides[0];
  }
};
}  // namespace detail
}  // namespace cuda
}  // namespace at
namespace torch {
using namespace at;
}
#endif
