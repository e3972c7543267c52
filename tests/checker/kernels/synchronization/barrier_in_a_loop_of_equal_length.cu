// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    __syncthreads();
    for (int i = 0; i < 2 + blockIdx.x; i++) {
        int other = s[63 - t];
        __syncthreads();
        s[t] = other + 1;
        __syncthreads();
    }
    out[g] = s[t];
}
