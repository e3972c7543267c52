// broken: RAW between launches: the kernel loads its bias before the wait, and the launch before writes it
// fixed: clean
// launch: 2x128
// pdl: cast_bias,route
// same: cast_bias.out=route.bias
// source: https://github.com/sgl-project/sglang/pull/38290, Apache-2.0
// Written anew after the thread: no code of it.
// The bias was taken for a weight that never changes, but it is the result of a conversion by the kernel before.
// The fix: the load stands behind the wait.
// Left out: the choice of experts; scores are scaled.
__global__ void cast_bias(const int *bias, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)bias[i];  // earlier
}

__global__ void route(const float *scores, const float *bias, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
    cudaGridDependencySynchronize();
    float own = bias[i];
#else
    float own = bias[i];  // later
    cudaGridDependencySynchronize();
#endif
    result[i] = 1 / (1 + expf(-scores[i])) + own;
}
