// sound
// launch: 3x64

__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x + in[0];
}
