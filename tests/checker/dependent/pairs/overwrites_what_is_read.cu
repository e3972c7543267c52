// broken: DEPENDENT_WAR WAITS_LATER
// pdl: primary,secondary
// same: primary.in=secondary.scratch
// 
// The prologue clears a buffer that the launch before still reads.
__global__ void primary(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    out[i] = 2 * in[i];  // earlier
}

__global__ void secondary(float *scratch) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
    scratch[i] = 0;
#else
    scratch[i] = 0;  // later
    cudaGridDependencySynchronize();
#endif
}
