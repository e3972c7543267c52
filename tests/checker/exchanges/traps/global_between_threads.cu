// launch: 2x128, args: n=3
__global__ void kernel(int* data, int* out, int n) {
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    data[i] = i * n;
    __syncthreads();  // barrier: needed
    out[i] = data[blockIdx.x * 128 + 127 - t];
}
