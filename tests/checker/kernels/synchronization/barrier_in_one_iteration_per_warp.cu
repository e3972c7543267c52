// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        if (i == t / 32) __syncthreads();
    }
    out[g] = s[63 - t];
}
