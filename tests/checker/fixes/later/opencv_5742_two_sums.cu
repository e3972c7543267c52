// broken: WAR the second reduction stores into shared memory where other threads still read the result of the first one
// fixed: clean
// launch: 2x64
// source: https://github.com/opencv/opencv/pull/5742 (issue 5721)
// Written anew after the thread: no code of it.
// A histogram is normalized, clipped and normalized again, which takes two sums by the same shared memory. Three to five of a thousand
// results differed.
// The fix: a barrier before the second sum.
// Left out: cells and blocks of the image, several histograms per block.
__device__ float reduce(float *sums, float value) {
    int t = threadIdx.x;
    sums[t] = value;  // later
    __syncthreads();
    for (int width = 32; width > 0; width /= 2) {
        if (t < width) sums[t] += sums[t + width];
        __syncthreads();
    }
    return sums[0];  // earlier
}

__global__ void normalize(const float *histograms, float *result) {
    __shared__ float sums[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float value = histograms[i];
    value = fminf(value / (sqrtf(reduce(sums, value * value)) + 6.4f), 0.2f);
#ifdef FIXED
    __syncthreads();
#endif
    result[i] = value / (sqrtf(reduce(sums, value * value)) + 1e-3f);
}
