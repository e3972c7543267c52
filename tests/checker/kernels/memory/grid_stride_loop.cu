// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 500; i += gridDim.x * blockDim.x) out[i] = in[i % 128] + i + (int)blockIdx.x;
}
