// launch: 1x128
#include <cuda_pipeline.h>
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();  // barrier: needed
    out[t] = s[127 - t];
}
