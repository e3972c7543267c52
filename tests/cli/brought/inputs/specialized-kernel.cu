// Both are correct for the sizes that their launchers accept: a launch belongs to the specialization of its types.
#include <stdexcept>

template <typename T>
__global__ void scale(T *out, const T *in, int n);

template <>
__global__ void scale<float>(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 >= n) return;
    for (int k = 0; k < 4; ++k) out[i * 4 + k] = 2 * in[i * 4 + k];
}

template <>
__global__ void scale<double>(double *out, const double *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 2 >= n) return;
    for (int k = 0; k < 2; ++k) out[i * 2 + k] = 2 * in[i * 2 + k];
}

template <typename T>
void launch_scale(T *out, const T *in, int n);

template <>
void launch_scale<float>(float *out, const float *in, int n) {
    if (n % 4 != 0) throw std::runtime_error("n is no multiple of 4");
    scale<<<n / 1024 + 1, 256>>>(out, in, n);
}

template <>
void launch_scale<double>(double *out, const double *in, int n) {
    if (n % 2 != 0) throw std::runtime_error("n is no multiple of 2");
    scale<<<n / 256 + 1, 128>>>(out, in, n);
}
