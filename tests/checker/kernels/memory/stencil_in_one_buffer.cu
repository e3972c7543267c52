// broken: WAR
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    int x = out[g > 0 ? g - 1 : 0];
    out[g] = in[g] + x;
}
