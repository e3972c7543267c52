// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: primary,secondary
// same: primary.out=secondary.in
// 
// Without a trigger, too, the next launch may begin before writes are visible.
__global__ void primary(float *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;  // earlier
}

__global__ void secondary(const float *in, float *result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef SOUND
    cudaGridDependencySynchronize();
#endif
    result[i] = 2 * in[i];  // later
}
