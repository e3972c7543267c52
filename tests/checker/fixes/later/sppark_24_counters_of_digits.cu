// broken: warps add to counters that the first warp has not read yet
// fixed: clean
// launch: 2x64
// source: https://github.com/supranational/sppark/issues/24
// Written anew after the thread: no code of it.
// In a sort by digits, the first warp reads the counters of a block, and then all threads add to them. A warp that is early changes what
// the first one reads.
// The fix: a barrier between both (the issue is closed; the change itself was not read).
// Left out: the scan of the counters, the places of elements.
constexpr int DIGITS = 32;

__global__ void sort_digits(const unsigned *keys, unsigned *counts) {
    __shared__ unsigned counters[DIGITS];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    unsigned before = 0;
    if (t < DIGITS) counters[t] = 100 * t;
    __syncthreads();
    if (t < DIGITS) before = counters[t];  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&counters[keys[i] % DIGITS], 1u);  // later
    __syncthreads();
    if (t < DIGITS) counts[blockIdx.x * DIGITS + t] = counters[t] - before;
}
