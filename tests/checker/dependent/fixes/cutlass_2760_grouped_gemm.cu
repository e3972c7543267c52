// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: quantize,grouped_gemm
// same: quantize.a=grouped_gemm.a
// source: https://github.com/NVIDIA/cutlass/issues/2760, fixed by pull request 2719, BSD-3-Clause
// Written anew after the thread: no code of it.
// The kernel for groups of matrices has no wait, and is launched as a dependent one.
// Left out: tensor memory accelerator, tensor cores, pipelines; groups are rows here.
__global__ void quantize(const float *in, float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = rintf(in[i]);  // earlier
}

__global__ void grouped_gemm(const float *a, const float *b, float *d) {
    int warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float tile[128];
#ifdef FIXED
    cudaGridDependencySynchronize();
#endif
    if (warp < 2) {  // the producer warps
        tile[threadIdx.x] = a[i];  // later
        tile[threadIdx.x + 64] = a[i + 64];
    }
    __syncthreads();
    d[i] = tile[threadIdx.x] * b[i];
    cudaTriggerProgrammaticLaunchCompletion();
}
