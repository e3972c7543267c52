// broken: DEPENDENT_WAR WAITS_LATER
// pdl: primary,secondary
// same: primary.in=secondary.scratch
// 
// The first thread that triggers does so for its block, whose other threads may still read.
__global__ void primary(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 0;
    if (threadIdx.x >= 32) x = in[i];  // earlier
#ifndef SOUND
    if (threadIdx.x == 0) cudaTriggerProgrammaticLaunchCompletion();
#endif
    out[i] = x;
}

__global__ void secondary(float *scratch) {
    scratch[blockIdx.x * blockDim.x + threadIdx.x] = 0;  // later
    cudaGridDependencySynchronize();
}
