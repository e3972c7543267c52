// launch: 1x128, args: n=3
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, sum = in[t];
    for (int d = 1; d <= n; d *= 2) {
        s[t] = sum;
        __syncthreads();  // barrier: needed
        sum += s[t ^ d];
        __syncthreads();  // barrier: needed
    }
    out[t] = sum;
}
