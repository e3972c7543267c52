// broken: DEPENDENT_RAW BEGINS_EARLY
// pdl: primary,between,secondary
// same: primary.out=secondary.in
// same: between.out=secondary.more
// 
// The third launch reads data of the first one in its prologue.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void between(float *out) {
#ifdef SOUND
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#else
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void secondary(const float *in, const float *more, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];  // later
    cudaGridDependencySynchronize();
    result[i] = x + more[i];
}
