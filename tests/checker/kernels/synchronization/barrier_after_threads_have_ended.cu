// doubtful: BARRIER_SKIPPED
// launch: 2x128

// Threads that have ended count as arrived at the barrier, which the CUDA guide does not allow.
__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t >= 100) return;
    s[t] = in[g];
    __syncthreads();
    out[g] = s[99 - t];
}
