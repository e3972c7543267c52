// broken: RAW between launches: the kernel is launched as a dependent one, and reads its input without a wait
// fixed: clean
// launch: 2x128
// pdl: projection,preprocess
// same: projection.gradient=preprocess.gradient
// source: https://github.com/Dao-AILab/flash-attention/pull/2481
// Written anew after the thread: no code of it.
// The kernel that multiplies output and gradient triggers its successor, but does not wait for its predecessor.
// The fix: a wait before the first load.
// Left out: CuTe; a row has 32 columns.
__global__ void projection(const float *in, float *gradient) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    gradient[i] = 0.25f * in[i];  // earlier
}

__global__ void preprocess(const float *output, const float *gradient, float *row_sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    cudaGridDependencySynchronize();
#endif
    float value = output[i] * gradient[i];  // later
    cudaTriggerProgrammaticLaunchCompletion();
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0) row_sums[i / 32] = value;
}
