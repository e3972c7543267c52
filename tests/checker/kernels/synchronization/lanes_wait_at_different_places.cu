// broken: DIVERGENT_WARP_BARRIER
// launch: 2x64

// The lanes of one warp do not execute the barrier together.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t % 32 < 16) {
        s[t] = in[g];
        __syncthreads();
        out[g] = s[t + 16];
    } else {
        s[t] = 2 * in[g];
        __syncthreads();
        out[g] = s[t - 16] + 1;
    }
}
