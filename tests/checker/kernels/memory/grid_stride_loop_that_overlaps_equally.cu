// doubtful: SAME_VALUE
// launch: 2x64

__global__ void k(const int *in, int *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 500; i += blockDim.x) out[i] = in[i % 128] + i;
}
