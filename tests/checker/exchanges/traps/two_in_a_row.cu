// launch: 2x128, args: n=3
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; ++k) {
        s[t] = in[k * 128 + t];
        __syncthreads();  // barrier: nothing
        __syncthreads();  // barrier: needed
        sum += s[127 - t];
        __syncthreads();  // barrier: needed
    }
    out[t + 128 * blockIdx.x] = sum;
}
