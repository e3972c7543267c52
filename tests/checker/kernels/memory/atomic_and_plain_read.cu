// broken: ATOMIC_RACE
// launch: 2x64

__global__ void k(const int *in, int *out) {
    atomicAdd(&out[0], in[threadIdx.x]);
    out[1 + blockIdx.x * blockDim.x + threadIdx.x] = out[0] > 0;
}
