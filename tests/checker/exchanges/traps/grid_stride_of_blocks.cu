// launch: 2x128, args: n=512
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[130];
    int t = threadIdx.x;
    for (int base = blockIdx.x * 128; base < n; base += 128 * gridDim.x) {
        s[t + 1] = in[base + t];
        if (t == 0) s[0] = base ? in[base - 1] : 0;
        __syncthreads();  // barrier: needed
        out[base + t] = s[t] + s[t + 1];
        __syncthreads();  // barrier: needed
    }
}
