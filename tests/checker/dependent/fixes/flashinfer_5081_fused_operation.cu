// broken: DEPENDENT_RAW WAITS_LATER
// pdl: embed,all_reduce_norm
// same: embed.residual=all_reduce_norm.residual
// same: embed.out=all_reduce_norm.in
// source: https://github.com/flashinfer-ai/flashinfer/pull/5081, Apache-2.0
// Written anew after the thread: no code of it.
// The constructor of the fused operation loads the first row of the residual before the wait.
// Left out: the exchange between devices, the norm, quantization.
struct FusedOperation {
    const float *residual;
    int row;
    float gamma, value;
    __device__ FusedOperation(const float *weights, const float *given, int first)
        : residual(given), row(first), gamma(weights[threadIdx.x]), value(given[first]) {}  // later
    __device__ float at(int other) {
        if (other != row) value = residual[row = other];
        return gamma * value;
    }
};

__global__ void embed(float *out, float *residual) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    out[i] = i;
    residual[i] = 0;  // earlier
}

__global__ void all_reduce_norm(const float *in, const float *residual, const float *weights, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    cudaGridDependencySynchronize();
    FusedOperation operation(weights, residual, i);
#else
    FusedOperation operation(weights, residual, i);
    cudaGridDependencySynchronize();
#endif
    result[i] = in[i] + operation.at(i);
    cudaTriggerProgrammaticLaunchCompletion();
}
