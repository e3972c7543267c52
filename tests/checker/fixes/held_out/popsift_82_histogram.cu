// broken: RAW threads add to a histogram that other threads have not set to zero yet
// fixed: clean
// launch: 2x64
// source: https://github.com/alicevision/popsift/pull/82
// Written anew after the thread: no code of it.
// Each thread sets a bin of the histogram of orientations to zero, and then adds to any bin by atomics.
// The fix: a barrier between both.
// Left out: the gradients of an image, the other races of that request.
__global__ void orientations(const unsigned *angles, unsigned *result) {
    __shared__ unsigned histogram[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    histogram[t] = 0;  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    atomicAdd(&histogram[(angles[i] + 17 * t) % 64], 1u);  // later
    __syncthreads();
    result[i] = histogram[t];
}
