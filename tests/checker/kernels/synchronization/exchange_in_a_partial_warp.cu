// sound
// launch: 2x40

// The last warp has 8 lanes; a mask may name those that do not exist.
__global__ void k(const int *in, int *out) {
    __shared__ int s[40];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = __shfl_xor_sync(0xffffffff, in[g], 1);
    __syncwarp();
    out[g] = s[t ^ 7];
}
