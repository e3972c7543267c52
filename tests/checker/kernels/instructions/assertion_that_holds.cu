// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(in[i] >= 0 && "values are counts");
    out[i] = in[i] + 1;
}
