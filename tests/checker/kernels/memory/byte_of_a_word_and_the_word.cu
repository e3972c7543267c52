// broken: WAW
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t == 0) {
        out[0] = in[0];
    } else if (t < 4) {
        ((unsigned char *) out)[t] = in[t];
    }
}
