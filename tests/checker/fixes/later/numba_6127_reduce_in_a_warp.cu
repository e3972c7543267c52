// broken: RAW lanes read partial sums that other lanes of the warp have stored, with no __syncwarp() between
// fixed: clean
// launch: 2x64
// source: https://github.com/numba/numba/pull/6127 (issue 2589)
// Written anew after the thread: no code of it.
// Each warp adds up 32 values in shared memory, and relies on lockstep execution.
// The fix: __syncwarp() behind each step.
// Left out: the sum of warps, and Python.
__global__ void reduce(const float *in, float *partials) {
    __shared__ float of_warp[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
    float *sums = of_warp[warp];
    sums[lane] = in[i];
    __syncwarp();
    for (int width = 16; width > 0; width /= 2) {
        if (lane < width) {
            float other = sums[lane + width];  // later
            sums[lane] += other;  // earlier
        }
#ifdef FIXED
        __syncwarp();
#endif
    }
    if (lane == 0) partials[i / 32] = sums[0];
}
