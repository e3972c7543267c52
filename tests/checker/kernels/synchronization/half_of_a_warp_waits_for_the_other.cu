// broken: DEADLOCK
// launch: 2x64
// hangs

// The upper half of each warp waits at a barrier of the block, the lower half for the upper half.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    if (t % 32 < 16) __syncwarp();
    __syncthreads();
    out[g] = s[t ^ 31];
}
