// broken: DEPENDENT_RAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// The prologue may load weights, which no launch writes, and not activations.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, const float *weights, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    float weight = weights[i];
    cudaGridDependencySynchronize();
    result[i] = weight * in[i];
#else
    float x = in[i];  // later
    cudaGridDependencySynchronize();
    result[i] = x * weights[i];
#endif
}
