// broken: WAR a step of a scan in place adds to a value that another lane still reads
// fixed: clean
// launch: 2x32
// source: https://github.com/opencv/opencv/pull/19534 (and 12722)
// Written anew after the thread: no code of it.
// Eight lanes scan the counts of a histogram. A barrier stands between the steps, but += reads and writes within a step.
// The fix: a barrier between read and write, too.
// Left out: the median, the coarse and the fine histogram.
constexpr int BINS = 8;

__global__ void scan_bins(const int *counts, int *sums) {
    __shared__ int scan[BINS];
    int t = threadIdx.x, i = blockIdx.x * BINS + t;
    if (t < BINS) scan[t] = counts[i];
    __syncthreads();
    for (int step = 1; step < BINS; step *= 2) {
        int below = t >= step && t < BINS ? scan[t - step] : 0;  // earlier
#ifdef FIXED
        __syncthreads();
#endif
        if (t < BINS) scan[t] += below;  // later
        __syncthreads();
    }
    if (t < BINS) sums[i] = scan[t];
}
