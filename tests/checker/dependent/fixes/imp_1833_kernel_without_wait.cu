// broken: DEPENDENT_RAW NEVER_WAITS
//
// source: https://github.com/kekzl/imp/pull/1833, license not read
// Written anew after the thread: no code of it.
// Kernels without a wait were launched as dependent ones, which became a race when producers began to trigger.
// Left out: graphs; a launch with an attribute stands for an edge of a graph.
#include <cuda_runtime.h>

#ifdef FIXED
#define ALLOWED 0
#else
#define ALLOWED 1
#endif

__global__ void gemv(const float *weights, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    y[i] = weights[i] * x[i];  // earlier
}

__global__ void add(const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += x[i];  // later
}

int main() {
    float *weights, *x, *y, *sum;
    cudaMalloc(&weights, 256 * sizeof(float));
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMalloc(&y, 256 * sizeof(float));
    cudaMalloc(&sum, 256 * sizeof(float));
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    cudaLaunchConfig_t config = {.gridDim = 2, .blockDim = 128, .attrs = attribute, .numAttrs = 1};
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchKernelEx(&config, gemv, (const float *)weights, (const float *)x, y);
    attribute[0].val.programmaticStreamSerializationAllowed = ALLOWED;
    cudaLaunchKernelEx(&config, add, (const float *)y, sum);
    cudaDeviceSynchronize();
}
