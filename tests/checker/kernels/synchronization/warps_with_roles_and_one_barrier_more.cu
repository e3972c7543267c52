// doubtful: BARRIER_SKIPPED
// launch: 2x64

// The second warp waits once more than the first, which has ended by then.
__global__ void k(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, sum = 0;
    if (t < 32) {
        for (int i = 0; i < 3; i++) {
            s[t] = in[g] + i;
            __syncthreads();
            __syncthreads();
        }
    } else {
        for (int i = 0; i < 3; i++) {
            __syncthreads();
            sum += s[63 - t];
            __syncthreads();
        }
        __syncthreads();
    }
    out[g] = sum;
}
