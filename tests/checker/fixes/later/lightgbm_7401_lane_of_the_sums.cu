// broken: out of bounds, the first lane of a warp takes its lane instead of its warp for an index, and reads before the array
// fixed: clean
// launch: 2x64
// source: https://github.com/lightgbm-org/LightGBM/pull/7401
// Written anew after the thread: no code of it.
// In an exclusive scan of a block, the first lane of a warp takes the sum of all warps before its own.
// The fix: the number of the warp as index.
// Left out: the scan of the sums of warps, as there are two of them; the other fixes of that request.
__global__ void exclusive_scan(const int *in, int *out) {
    __shared__ int sums[2];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 64 + threadIdx.x;
    int value = in[i];
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffff, value, step);
        if (lane >= step) value += below;
    }
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    int exclusive = __shfl_up_sync(0xffffffff, value, 1) + (warp > 0 ? sums[0] : 0);
    if (lane == 0 && warp == 0) exclusive = 0;
    if (lane == 0 && warp > 0) {
#ifdef FIXED
        exclusive = sums[warp - 1];
#else
        exclusive = sums[lane - 1];  // later
#endif
    }
    out[i] = exclusive;
}
