// broken: RAW between launches: on one of two paths, the producer warp loads what the launch before writes, and never waits
// fixed: clean
// launch: 2x64
// pdl: preprocess,backward
// same: preprocess.row_sums=backward.row_sums
// source: https://github.com/Dao-AILab/flash-attention/pull/2643
// Written anew after the thread: no code of it.
// The dense producer waits before its loads; the producer for sparse blocks has no wait. The other warp gets the data by a barrier.
// The fix: a wait before the loads of the sparse producer.
// Left out: the dense path, sums of dQ by atomics, tensor cores; loads of the tensor memory accelerator are plain ones here.
__global__ void preprocess(const float *values, float *row_sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
    row_sums[i] = 3 * values[i];  // earlier
}

__global__ void backward(const float *scores, const float *row_sums, float *gradient) {
    __shared__ float sums[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * 32 + lane;
    if (warp == 0) {
#ifdef FIXED
        cudaGridDependencySynchronize();
#endif
        sums[lane] = row_sums[row];  // later
    }
    __syncthreads();
    if (warp == 1) gradient[row] = scores[row] * sums[lane];
}
