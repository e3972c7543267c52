// doubtful: DEPENDENT_RAW FENCED_BEFORE_TRIGGER
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// The CUDA Runtime API takes a fence before the trigger as enough, the PTX ISA does not.
__global__ void primary(float *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
    __threadfence();
    __syncthreads();
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    result[i] = 2 * in[i];  // later
}
