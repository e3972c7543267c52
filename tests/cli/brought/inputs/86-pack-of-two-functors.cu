// Sound: two functors with different arguments, in instances of one kernel.
#include <cuda_runtime.h>
template <typename F, typename... Args>
__global__ void each(int n, F f, Args... args) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) f(i, args...);
}
template <typename F, typename... Args>
void for_each(int n, F f, Args... args) { each<F, Args...><<<(n + 127) / 128, 128>>>(n, f, args...); }
struct Copy { __device__ void operator()(int i, const float *x, float *y) const { y[i] = x[i]; } };
struct Fill { __device__ void operator()(int i, float *y, float v) const { y[i] = v; } };
struct Zero { int *p; __device__ void operator()(int i) const { p[i] = 0; } };
void go(const float *x, float *y, int n) {
    for_each(n, Copy{}, x, y);
    for_each(n, Fill(), y, 3.0f);
}
