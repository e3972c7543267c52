// broken: DEPENDENT_RAW NEVER_WAITS
//
// source: https://github.com/ggml-org/llama.cpp/pull/23690, MIT
// Written anew after the thread: no code of it.
// A new kernel is launched by the function that allows overlap for all kernels, and does not wait.
// Left out: types, sizes other than 32, the fallback.
#include <cuda_runtime.h>

__device__ void dependency_sync() { cudaGridDependencySynchronize(); }

template <typename... Types, typename... Given>
void launch(void (*kernel)(Types...), dim3 grid, dim3 block, cudaStream_t stream, Given... arguments) {
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, arguments...);
}

__global__ void scale(const float *x, float *y, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    dependency_sync();
    y[i] = factor * x[i];  // earlier
}

__global__ void hadamard(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    dependency_sync();
#endif
    float value = x[i];  // later
    for (int step = 1; step < 32; step *= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, step);
        value = threadIdx.x & step ? other - value : value + other;
    }
    y[i] = value;
}

int main() {
    float *a, *b, *c;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 512 * sizeof(float));
    cudaMalloc(&c, 512 * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    launch(scale, dim3(4), dim3(128), stream, a, b, 0.5f);
    launch(hadamard, dim3(4), dim3(128), stream, b, c);
    cudaStreamSynchronize(stream);
}
