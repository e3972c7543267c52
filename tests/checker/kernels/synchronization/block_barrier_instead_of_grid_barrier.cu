// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    out[g] = in[g];
    __syncthreads();
    out[256 + g] = out[127 - g];
}
