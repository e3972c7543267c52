// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, sum = 0;
    for (int column = lane; column < 64; column += 32) sum += in[row * 64 + column];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sum;
}
