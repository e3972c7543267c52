// broken: INACTIVE_SOURCE
// launch: 2x40

// The last warp has 8 lanes, which read from lanes behind them.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = __shfl_down_sync(0xffffffff, in[g], 4);
}
