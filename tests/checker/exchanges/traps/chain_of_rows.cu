// launch: 1x128, args: n=5
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, row = t / 32 * 32;
    s[t] = in[t];
    for (int k = 0; k < n; ++k) {
        __syncthreads();  // barrier: warp
        int v = s[row + (s[t] & 31)];
        __syncthreads();  // barrier: warp
        s[t] = v + 1;
    }
    out[t] = s[t];
}
