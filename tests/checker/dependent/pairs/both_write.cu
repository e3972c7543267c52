// broken: DEPENDENT_WAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.result
// 
// Both launches write one buffer; the result may be that of the first one.
__global__ void primary(float *out) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
    result[i] = 1;
#else
    result[i] = 1;  // later
    cudaGridDependencySynchronize();
#endif
}
