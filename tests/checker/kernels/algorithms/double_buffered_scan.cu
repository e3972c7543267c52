// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[from][t];
}
