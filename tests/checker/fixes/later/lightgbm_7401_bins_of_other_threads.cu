// broken: RAW threads read prefix sums in global memory that other threads of the block have stored, with no barrier between
// fixed: clean
// launch: 2x64
// source: https://github.com/lightgbm-org/LightGBM/pull/7401
// Written anew after the thread: no code of it.
// Each thread scans its chunk of a histogram in global memory. The gains are then computed by bins, which belong to other chunks.
// The fix: a barrier at the end of the prefix sum.
// Left out: gradients, which had a barrier already; the gain.
constexpr int CHUNK = 2;

__device__ void prefix_sum(float *bins, float *sums) {
    int t = threadIdx.x;
    float own = 0, before = 0;
    for (int k = 0; k < CHUNK; k++) own += bins[t * CHUNK + k];
    sums[t] = own;
    __syncthreads();
    for (int other = 0; other < t; other++) before += sums[other];
    for (int k = 0; k < CHUNK; k++) {
        before += bins[t * CHUNK + k];
        bins[t * CHUNK + k] = before;  // earlier
    }
#ifdef FIXED
    __syncthreads();
#endif
}

__global__ void best_split(float *hessians, float *gains) {
    __shared__ float sums[64];
    float *bins = hessians + blockIdx.x * 64 * CHUNK;
    prefix_sum(bins, sums);
    for (int bin = threadIdx.x; bin < 64 * CHUNK; bin += 64)
        gains[blockIdx.x * 64 * CHUNK + bin] = 1 / (1 + fabsf(bins[bin]));  // later
}
