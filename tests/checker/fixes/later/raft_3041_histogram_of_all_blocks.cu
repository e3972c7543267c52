// broken: a block counts as finished while some of its threads have not added to the histogram, which the last block reads
// fixed: clean
// launch: 2x64
// source: https://github.com/NVIDIA/raft/pull/3041 (issue 2997)
// Written anew after the thread: no code of it.
// Blocks add to a histogram in global memory. Thread 0 counts its block as finished, and the last block continues with the histogram.
// The fix: a barrier before thread 0 counts.
// Left out: the selection of the k smallest values, several passes.
constexpr int BINS = 32;

__device__ unsigned histogram[BINS], finished;

__global__ void radix(const unsigned *in, unsigned *result) {
    __shared__ bool is_last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    atomicAdd(&histogram[in[i] % BINS], 1u);  // earlier
#ifdef FIXED
    __syncthreads();
#endif
    __threadfence();
    if (t == 0) {
        is_last = atomicAdd(&finished, 1u) % gridDim.x == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && t < BINS) result[t] = histogram[t];  // later
}
