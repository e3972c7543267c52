// Broken: the barrier between the two accesses of shared memory is missing, in two instances of which one is named.
#include <torch/extension.h>
template <int... Ns> struct Seq {};
template <typename T, int... Ns>
__global__ void perm(T *x, Seq<Ns...>) {
    constexpr int sum = (Ns + ...);
    __shared__ T s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[(threadIdx.x + sum) % 64];
}
void go(at::Tensor x) {
    perm<<<1, 64>>>(x.data_ptr<float>(), Seq<1, 2>{});
    perm<double, 3><<<1, 64>>>(x.data_ptr<double>(), Seq<3>{});
}
