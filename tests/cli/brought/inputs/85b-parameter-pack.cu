// Sound: a barrier lies between the two accesses of shared memory; the types follow from the call.
#include <cuda_runtime.h>
struct AddTo {
    __device__ void operator()(int n, float *x, float a, int shift) const {
        int i = threadIdx.x;
        __shared__ float s[128];
        s[i] = x[i] * a;
        __syncthreads();
        x[i] = s[(i + shift) % 128];
    }
};
template <typename F, typename... Args>
__global__ void apply_kernel(int n, float *x, F f, Args... args) { f(n, x, args...); }
template <typename F, typename... Args>
void apply(int n, float *x, F f, Args... args) { apply_kernel<<<1, 128>>>(n, x, f, args...); }
void go(float *x, int n) { apply(n, x, AddTo(), 2.0f, 1); }
