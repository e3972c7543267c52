// broken: DEPENDENT_WAR WAITS_LATER
// 
// Each iteration overlaps the one before, and writes the buffer that this one reads.
#include <cuda_runtime.h>

__global__ void step(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
#ifdef SOUND
    cudaGridDependencySynchronize();
#else
    if (i >= n) out[i] = 0;  // later
    cudaGridDependencySynchronize();
#endif
    if (i < n) out[i] = in[i + 1] + in[i];  // earlier
}

int main() {
    const int n = 400;
    float *a, *b;
    cudaMalloc(&a, 512 * sizeof(float));
    cudaMalloc(&b, 512 * sizeof(float));
    cudaLaunchAttribute attribute = {cudaLaunchAttributeProgrammaticStreamSerialization, {1}};
    cudaLaunchConfig_t config{.gridDim = 4, .blockDim = 128, .attrs = &attribute, .numAttrs = 1};
    for (int iteration = 0; iteration < 4; iteration++) {
        cudaLaunchKernelEx(&config, step, (const float *)a, b, n);
        float *other = a;
        a = b;
        b = other;
    }
    cudaDeviceSynchronize();
}
