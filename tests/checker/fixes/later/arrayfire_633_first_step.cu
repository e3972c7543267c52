// broken: RAW the first step of a reduction adds values that other warps have not stored yet
// fixed: clean
// launch: 2x128
// source: https://github.com/arrayfire/arrayfire/pull/633 (issue 625)
// Written anew after the thread: no code of it.
// Each thread stores its value in shared memory, and threads of the first half add those of the second one at once.
// The fix: a barrier between both, outside of the condition, as the review demands.
// Left out: rows of several lengths, operators; the steps within a warp are done by shuffles.
__global__ void reduce_first(const int *in, int *out) {
    __shared__ int values[128];
    int t = threadIdx.x;
    int sum = in[blockIdx.x * 128 + t];
    values[t] = sum;  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    if (t < 64) values[t] = sum += values[t + 64];  // later
    __syncthreads();
    if (t < 32) {
        sum += values[t + 32];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
