// Broken: the barrier in the loop of the kernel, in the header, is missing.
#include "kernels.cuh"
void run(at::Tensor x, at::Tensor y) {
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "m", [&] {
        block_max<scalar_t, 128><<<1, 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
    });
}
