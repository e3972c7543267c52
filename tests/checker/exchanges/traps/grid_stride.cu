// launch: 2x128, args: n=512
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    for (int base = blockIdx.x * 128; base < n; base += 128 * gridDim.x) {
        s[t] = in[base + t];
        __syncthreads();  // barrier: warp
        out[base + t] = s[t ^ 7];
        __syncthreads();  // barrier: warp
    }
}
