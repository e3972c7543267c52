// broken: RAW
// launch: 2x64

__global__ void k(const float *in, float *out) {
    __shared__ float sums[2], squares[2];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    float value = in[blockIdx.x * 64 + t], sum = value, square = value * value;
    for (int d = 16; d; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        square += __shfl_xor_sync(0xffffffff, square, d);
    }
    if (lane == 0) { sums[warp] = sum; squares[warp] = square; }
    float mean = (sums[0] + sums[1]) / 64;
    out[blockIdx.x * 64 + t] = (value - mean) * rsqrtf((squares[0] + squares[1]) / 64 - mean * mean + 1.0f);
}
