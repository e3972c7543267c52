// launch: 1x128, args: n=6 in=i32[1024]:0
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[2][128];
    int t = threadIdx.x, sum = 0, cur = 0;
    for (int k = 0; k < n; ++k) {
        s[cur][t] = t;
        __syncthreads();  // barrier: needed
        sum += s[cur][127 - t];
        if (in[k] < 3) cur ^= 1;
        __syncthreads();  // barrier: needed
    }
    out[t] = sum;
}
