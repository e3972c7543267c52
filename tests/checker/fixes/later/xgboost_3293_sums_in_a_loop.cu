// broken: WAR the sum of the next feature overwrites the sums of warps that thread 0 still reads
// fixed: clean
// launch: 2x64
// source: https://github.com/dmlc/xgboost/pull/3293 (issue 3264)
// Written anew after the thread: no code of it.
// A block adds up several features in turn, each time with the same temporary memory. On a K80, splits differed between runs.
// The fix: a barrier between two sums.
// Left out: CUB, whose reduction this one replaces; the search of the best split.
constexpr int FEATURES = 3;

__device__ float block_sum(float value, float *of_warps) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = value;  // later
    __syncthreads();
    return threadIdx.x == 0 ? value + of_warps[1] : value;  // earlier
}

__global__ void evaluate_splits(const float *gradients, float *sums) {
    __shared__ float of_warps[2];
    for (int feature = 0; feature < FEATURES; feature++) {
        int row = blockIdx.x * FEATURES + feature;
        float sum = block_sum(gradients[row * 64 + threadIdx.x], of_warps);
        if (threadIdx.x == 0) sums[row] = sum;
#ifdef FIXED
        __syncthreads();
#endif
    }
}
