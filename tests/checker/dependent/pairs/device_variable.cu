// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// 
// Launches share variables of the device.
__device__ float scale[256];

__global__ void primary() {
    cudaTriggerProgrammaticLaunchCompletion();
    if (blockIdx.x == 0) scale[threadIdx.x] = 2;  // earlier
}

__global__ void secondary(float *result) {
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    if (blockIdx.x == 0) result[threadIdx.x] = scale[threadIdx.x];  // later
}
