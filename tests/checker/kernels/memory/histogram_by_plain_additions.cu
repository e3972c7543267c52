// broken: WAW
// launch: 2x128

__global__ void k(const unsigned *in, int *out) {
    out[in[blockIdx.x * blockDim.x + threadIdx.x] % 8] += 1;
}
