// broken: RAW
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1) { int tail = out[0]++; out[1 + tail] = in[i]; }
}
