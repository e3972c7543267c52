// sound
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    out[t] = in[t];
    __syncthreads();
    out[64 + t] = __ldg(out + 128 + t);
}
