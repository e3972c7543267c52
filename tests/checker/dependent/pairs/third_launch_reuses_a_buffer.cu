// broken: DEPENDENT_WAR BEGINS_EARLY
// pdl: primary,between,secondary
// same: primary.in=secondary.scratch
// same: between.out=secondary.in
// 
// A pool gives the third launch the memory that the first one reads.
__global__ void primary(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    out[i] = in[i];  // earlier
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

__global__ void secondary(const float *in, float *scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    scratch[i] = 0;  // later
    cudaGridDependencySynchronize();
    scratch[i] += in[i];
}
