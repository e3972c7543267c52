// broken: DEPENDENT_RAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// Launches may overlap in one buffer, not in the bytes of it.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
#ifdef SOUND
    float x = in[count + i];
#else
    float x = in[count - 1];  // later
#endif
    cudaGridDependencySynchronize();
    result[i] = x + in[i];
}
