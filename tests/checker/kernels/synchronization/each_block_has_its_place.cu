// sound
// launch: 3x64

__global__ void k(const int *in, int *out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) out[256 + blockIdx.x] = blockIdx.x;
}
