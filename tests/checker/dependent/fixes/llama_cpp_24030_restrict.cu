// doubtful: DEPENDENT_READ_ONLY READ_ONLY_PATH
// pdl: mask,attention
// same: mask.out=attention.mask
// source: https://github.com/ggml-org/llama.cpp/pull/24030 and https://github.com/NVIDIA/cccl/pull/11463, MIT
// Written anew after the thread: no code of it.
// With const and __restrict__, loads behind the wait are ones of the read-only path.
// Left out: attention; the mask is the only input.
__global__ void mask(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    out[i] = in[i] > 0 ? 1 : 0;  // earlier
}

#ifdef FIXED
__global__ void attention(const float *mask, const float *values, float *result) {
#else
__global__ void attention(const float *__restrict__ mask, const float *values, float *__restrict__ result) {
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    float kept = mask[i];  // later
    result[i] = kept * values[i];
}
