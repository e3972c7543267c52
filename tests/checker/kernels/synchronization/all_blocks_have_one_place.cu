// broken: WAW
// launch: 3x64

// The last block to run decides.
__global__ void k(const int *in, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) out[256] = blockIdx.x;
}
