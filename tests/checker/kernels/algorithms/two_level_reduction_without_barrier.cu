// broken: RAW
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int partial[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int sum = in[blockIdx.x * blockDim.x + t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) partial[warp] = sum;
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}
