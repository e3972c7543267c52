// broken: WAR the next round clears the histogram while other threads still read it
// fixed: clean
// launch: 2x128
// source: https://github.com/flashinfer-ai/flashinfer/pull/3529, Apache-2.0
// Written anew after the thread: no code of it.
// Each round counts digits, reads how many are above the threshold, and begins anew.
// The fix: a barrier behind that read.
// Left out: the search of the threshold, which is fixed here; the list of candidates, the end of the loop by its result.
constexpr int ROUNDS = 2;
constexpr int BINS = 32;
constexpr int THRESHOLD = 7;

__global__ void top_k(const unsigned *keys, unsigned *result) {
    __shared__ unsigned histogram[BINS];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    unsigned remaining = 1000;
    for (int round = 0; round < ROUNDS; round++) {
        if (t < BINS) histogram[t] = 0;  // later
        __syncthreads();
        atomicAdd(&histogram[keys[i] >> (5 * round) & (BINS - 1)], 1u);
        __syncthreads();
        remaining -= histogram[THRESHOLD + 1];  // earlier
#ifdef FIXED
        __syncthreads();
#endif
    }
    result[i] = remaining;
}
