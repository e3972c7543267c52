// launch: 2x128, args: n=7
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int head[2];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; ++k) {
        if (t == 0) head[k & 1] = in[k];
        __syncthreads();  // barrier: needed
        sum += head[k & 1] * t;
        __syncthreads();  // barrier: nothing
    }
    out[blockIdx.x * 128 + t] = sum;
}
