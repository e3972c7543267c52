// broken: DEPENDENT_RAW NOT_PASSED_ON
// pdl: primary,between,secondary
// same: primary.out=secondary.in
// same: between.out=secondary.more
// 
// A wait is for the launch before; that one has completed while the first one still runs.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void between(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void secondary(const float *in, const float *more, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    result[i] = in[i] + more[i];  // later
}
