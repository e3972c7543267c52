// sound
// launch: 2x64

__global__ void k(int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMin(&out[i & ~7], -i);
}
