// broken: WAW
// launch: 1x4:32x2

__global__ void k(const int *in, int *out) {
    int x = threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[threadIdx.y * 32 + x] = in[y * 32 + x] + y;
}
