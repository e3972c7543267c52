// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    if (threadIdx.x == 0) out[blockIdx.x] = in[0] != in[1];
}
