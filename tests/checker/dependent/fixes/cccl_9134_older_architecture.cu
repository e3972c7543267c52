// broken: DEPENDENT_RAW NEVER_WAITS
// arch: sm_80
//
// source: https://github.com/NVIDIA/cccl/issues/9134, Apache-2.0 with LLVM exception
// Written anew after the thread: no code of it.
// PTX for an older architecture has no wait, and runs on a newer GPU by a launch that allows overlap.
// Left out: how the library learns for which architecture it was compiled, which is a macro here.
#include <cuda_runtime.h>

#ifdef FIXED
#define HAS_WAIT 0
#else
#define HAS_WAIT 1
#endif

__device__ void dependency_sync() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

__global__ void fill(float *out) {
    dependency_sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // earlier
}

__global__ void transform(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dependency_sync();
    out[i] = 2 * in[i];  // later
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 256 * sizeof(float));
    cudaMalloc(&b, 256 * sizeof(float));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 128;
    config.attrs = &attribute;
    config.numAttrs = HAS_WAIT;
    fill<<<2, 128>>>(a);
    cudaLaunchKernelEx(&config, transform, (const float *)a, b);
    cudaDeviceSynchronize();
}
