// broken: RAW
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    int row = t / 8, column = t % 8;
    out[column * 8 + row] = out[row * 8 + column] + in[t];
}
