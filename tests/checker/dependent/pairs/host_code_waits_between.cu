// broken: DEPENDENT_RAW NEVER_WAITS
// 
// Nothing overlaps a launch that the host code has waited for.
#include <cuda_runtime.h>

#define ALLOWED 1

__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = 2 * in[i];  // later
}

void run(float *a, float *b, cudaStream_t stream) {
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = ALLOWED;
    cudaLaunchConfig_t config = {0};
    config.gridDim = 4;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    primary<<<4, 128, 0, stream>>>(a);
#ifdef SOUND
    cudaStreamSynchronize(stream);
#endif
    cudaLaunchKernelEx(&config, secondary, a, b);
}

int main() {
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 512 * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    run(a, b, stream);
    cudaDeviceSynchronize();
}
