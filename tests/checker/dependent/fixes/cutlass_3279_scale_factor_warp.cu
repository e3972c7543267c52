// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: quantize,block_scaled_gemm
// same: quantize.values=block_scaled_gemm.values
// same: quantize.scales=block_scaled_gemm.scales
// source: https://github.com/NVIDIA/cutlass/pull/3279, BSD-3-Clause
// Written anew after the thread: no code of it.
// Of the warps with roles of their own, the one that loads scale factors is the only one without a wait.
// Left out: the multiplication, and loads by the tensor memory accelerator, which are plain loads here.
__global__ void quantize(const float *in, float *values, float *scales) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    values[i] = in[i];
    scales[i] = fabsf(in[i]);  // earlier
}

__global__ void block_scaled_gemm(const float *values, const float *scales, float *result) {
    __shared__ float ab[32], sf[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, first = blockIdx.x * blockDim.x;
#ifdef FIXED
    cudaGridDependencySynchronize();
#endif
    if (warp == 0) {
#ifndef FIXED
        cudaGridDependencySynchronize();
#endif
        ab[lane] = values[first + lane];
    } else if (warp == 1) {
        sf[lane] = scales[first + lane];  // later
    }
    __syncthreads();
    if (warp == 2) result[first + lane] = ab[lane] * sf[lane];
}
