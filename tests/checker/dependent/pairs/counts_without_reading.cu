// broken: DEPENDENT_RAW WAITS_LATER
// pdl: primary,secondary
// same: primary.out=secondary.in
// same: primary.count=secondary.count
// 
// Both launches count with atomics whose results nothing reads: no thread learns from them what the other launch did.
__global__ void primary(float *out, int *count) {
    cudaTriggerProgrammaticLaunchCompletion();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
    atomicAdd(count, 1);
}

__global__ void secondary(const float *in, int *count, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(count, 1);
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    float x = in[i];  // later
    cudaGridDependencySynchronize();
    result[i] = 2 * x;
}
