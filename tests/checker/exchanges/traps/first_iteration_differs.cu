// launch: 1x128, args: n=4
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128], first[128];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; ++k) {
        if (k == 0) first[t] = in[t];
        __syncthreads();  // barrier: needed
        if (k == 0) sum = first[127 - t];
        s[t] = sum + k;
        __syncthreads();  // barrier: warp
        sum += s[t ^ 1];
    }
    out[t] = sum;
}
