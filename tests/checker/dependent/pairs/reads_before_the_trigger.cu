// doubtful: DEPENDENT_WAR READ_BEFORE_TRIGGER
// pdl: primary,secondary
// same: primary.in=secondary.scratch
// 
// All reads come before the trigger of their block, of which no text says what it orders.
__global__ void primary(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];  // earlier
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
    out[i] = 2 * x;
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
