// sound
// launch: 2x64

// Different warps may wait for one another at different barriers of the program.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t < 32) {
        s[t] = in[g];
        __syncthreads();
        out[g] = s[t + 32];
    } else {
        s[t] = 2 * in[g];
        __syncthreads();
        out[g] = s[t - 32] + 1;
    }
}
