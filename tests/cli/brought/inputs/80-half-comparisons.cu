// Sound: compares two c10::Half, beside the operators of __half.
#include <ATen/ATen.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/AccumulateType.h>
template <typename scalar_t>
__global__ void clamp_max(const scalar_t *x, scalar_t *y, scalar_t lo, int n) {
    using acc_t = at::acc_type<scalar_t, true>;
    acc_t best = -1e30f;
    for (int i = threadIdx.x; i < n; i += 32) {
        scalar_t v = x[i] > lo ? x[i] : lo;
        if (v != x[i] || v == lo) v = -v;
        if (static_cast<acc_t>(v) > best) best = v;
    }
    for (int d = 16; d; d /= 2) {
        acc_t o = WARP_SHFL_XOR(best, d);
        best = best > o ? best : o;
    }
    if (threadIdx.x == 0) y[blockIdx.x] = best;
}
void go(at::Tensor x, at::Tensor y) {
    AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "c", [&] {
        clamp_max<scalar_t><<<1, 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), scalar_t(0.5f), x.numel());
    });
}
