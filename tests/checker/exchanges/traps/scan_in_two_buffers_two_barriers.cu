// launch: 1x256, args: n=200
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[2][256];
    int t = threadIdx.x, cur = 0;
    s[0][t] = in[t];
    __syncthreads();  // barrier: needed
    for (int d = 1; d < n; d *= 2) {
        int v = s[cur][t];
        if (t >= d) v += s[cur][t - d];
        __syncthreads();  // barrier: nothing
        s[cur ^ 1][t] = v;
        __syncthreads();  // barrier: needed
        cur ^= 1;
    }
    out[t] = s[cur][t];
}
