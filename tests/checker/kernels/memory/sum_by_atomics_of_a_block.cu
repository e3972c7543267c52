// broken: ATOMIC_RACE
// launch: 2x128

__global__ void k(const int *in, int *out) {
    atomicAdd_block(&out[0], in[blockIdx.x * blockDim.x + threadIdx.x]);
}
