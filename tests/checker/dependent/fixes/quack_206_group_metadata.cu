// broken: DEPENDENT_RAW NEVER_WAITS
// pdl: count_rows,grouped_gemm
// same: count_rows.ends=grouped_gemm.ends
// same: count_rows.a=grouped_gemm.a
// source: https://github.com/Dao-AILab/quack/issues/206 (open), Apache-2.0
// Written anew after the thread: no code of it.
// The warps that multiply and those of the epilogue decode tiles from offsets of groups without a wait.
// Left out: CuTe, clusters, tensor cores.
__global__ void count_rows(int *ends, float *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
    if (i < 4) ends[i] = 128 * (i + 1);  // earlier
    a[i] = i;
}

__device__ int group_of(const int *ends, int row) {
    int group = 0;
    while (group < 3 && row >= ends[group]) group++;  // later
    return group;
}

__global__ void grouped_gemm(const int *ends, const float *a, float *d) {
    __shared__ float tile[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 32 + lane;
    if (warp == 0) {  // loads
        cudaGridDependencySynchronize();
        tile[lane] = a[row] + group_of(ends, row);
        __syncthreads();
    } else {  // multiply
#ifdef FIXED
        cudaGridDependencySynchronize();
#endif
        int group = group_of(ends, row);
        __syncthreads();
        if (warp == 1) d[row] = tile[lane] * group;
    }
}
