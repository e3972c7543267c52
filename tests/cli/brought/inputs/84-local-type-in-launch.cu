// One launched instance has a type of a host function, which NVRTC does not know: it is not checked.
#include <cuda_runtime.h>
template <typename T>
__global__ void shift(T *p) {
    __shared__ T s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
template <int N, typename T>
__global__ void spread(T *p) { p[threadIdx.x * N] = T(N); }
void run(float *p) {
    struct Local { float a; };
    shift<float><<<1, 64>>>(p);
    shift<Local><<<1, 64>>>(reinterpret_cast<Local *>(p));
}
