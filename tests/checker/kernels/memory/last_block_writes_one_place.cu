// broken: WAW
// launch: 3x64

__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) out[256] = blockIdx.x + in[0];
}
