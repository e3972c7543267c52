// broken: DEPENDENT_WAR WAITS_LATER
// pdl: primary,secondary
// same: primary.in=secondary.scratch
// 
// Without a trigger, the next launch begins after all blocks have ended, and so after their reads.
__global__ void primary(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifndef SOUND
    cudaTriggerProgrammaticLaunchCompletion();
#endif
    out[i] = 2 * in[i];  // earlier
}

__global__ void secondary(float *scratch) {
    scratch[blockIdx.x * blockDim.x + threadIdx.x] = 0;  // later
    cudaGridDependencySynchronize();
}
