// Sound: each thread writes the element that it reads, at an offset of TensorInfo.
#include <ATen/ATen.h>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/ceil_div.h>
#include <c10/cuda/CUDAMathCompat.h>
using at::cuda::detail::TensorInfo;
using at::cuda::detail::IndexToOffset;
template <typename scalar_t, typename index_t>
C10_LAUNCH_BOUNDS_1(256)
__global__ void gelu(const index_t n, TensorInfo<scalar_t, index_t> in, TensorInfo<scalar_t, index_t> out) {
    using opmath_t = at::opmath_type<scalar_t>;
    CUDA_KERNEL_LOOP_TYPE(i, n, index_t) {
        index_t a = IndexToOffset<scalar_t, index_t, 1>::get(i, in), b = IndexToOffset<scalar_t, index_t, 1>::get(i, out);
        opmath_t v = static_cast<opmath_t>(in.data[a]);
        out.data[b] = v * c10::cuda::compat::normcdf(v) + c10::cuda::compat::max(v, opmath_t(0)) - c10::cuda::compat::tanh(v);
    }
}
void go(at::Tensor in, at::Tensor out) {
    int64_t n = in.numel();
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "gelu", [&] {
        if (at::cuda::detail::canUse32BitIndexMath(in)) {
            gelu<scalar_t, int><<<at::ceil_div<int64_t>(n, 256), 256>>>(n, at::cuda::detail::getTensorInfo<scalar_t, int>(in), at::cuda::detail::getTensorInfo<scalar_t, int>(out));
        } else {
            gelu<scalar_t, int64_t><<<at::ceil_div<int64_t>(n, 256), 256>>>(n, at::cuda::detail::getTensorInfo<scalar_t, int64_t>(in), at::cuda::detail::getTensorInfo<scalar_t, int64_t>(out));
        }
    });
}
