// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1) out[1 + atomicAdd(&out[0], 1)] = in[i];
}
