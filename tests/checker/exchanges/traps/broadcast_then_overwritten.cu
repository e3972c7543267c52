// launch: 2x128, args: n=7
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int head;
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < n; ++k) {
        if (t == 0) head = in[k];
        __syncthreads();  // barrier: needed
        sum += head * t;
        __syncthreads();  // barrier: needed
    }
    out[blockIdx.x * 128 + t] = sum;
}
