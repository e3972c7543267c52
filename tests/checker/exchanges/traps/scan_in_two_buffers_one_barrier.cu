// launch: 1x256
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[2][256];
    int t = threadIdx.x, cur = 0;
    s[0][t] = in[t];
    __syncthreads();  // barrier: needed
    for (int d = 1; d < 256; d *= 2) {
        s[cur ^ 1][t] = t >= d ? s[cur][t] + s[cur][t - d] : s[cur][t];
        __syncthreads();  // barrier: needed
        cur ^= 1;
    }
    out[t] = s[cur][t];
}
