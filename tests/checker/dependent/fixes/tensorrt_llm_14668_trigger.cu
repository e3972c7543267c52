// broken: DEPENDENT_RAW NEVER_WAITS
// fixed: doubtful FENCED_BEFORE_TRIGGER
// pdl: quantize,gemm
// same: quantize.scales=gemm.scales
// source: https://github.com/NVIDIA/TensorRT-LLM/pull/14668, Apache-2.0
// Written anew after the thread: no code of it.
// Each warp triggers when it has written; the first one does so for the block, and the consumer does not wait.
// The fix is a fence and a barrier before the trigger, which one text takes as enough and another one does not.
// Left out: quantization of blocks; the consumer is a load.
__global__ void quantize(const float *in, float *scales) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    scales[i] = fabsf(in[i]);  // earlier
#ifdef FIXED
    __threadfence();
    __syncthreads();
#endif
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void gemm(const float *scales, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    result[i] = scales[i];  // later
}
