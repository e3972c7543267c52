// sound
// launch: 2x64

__device__ __noinline__ int read_other(const int *s, int place) {
    __syncthreads();
    return s[place];
}

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = in[g];
#pragma unroll 1
    for (int i = 0; i < 3; i++) sum += read_other(s, (t + i) % 64);
    out[g] = sum;
}
