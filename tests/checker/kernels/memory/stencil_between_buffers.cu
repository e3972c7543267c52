// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = in[g] + in[g > 0 ? g - 1 : 0];
}
