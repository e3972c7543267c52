// sound
// launch: 2x128

__global__ void k(const unsigned *in, int *out) {
    atomicAdd(&out[in[blockIdx.x * blockDim.x + threadIdx.x] % 8], 1);
}
