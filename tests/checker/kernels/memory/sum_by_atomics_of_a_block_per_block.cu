// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    atomicAdd_block(&out[blockIdx.x], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
