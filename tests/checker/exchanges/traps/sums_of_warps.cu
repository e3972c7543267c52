// launch: 2x256, args: n=512
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int part[8];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x) sum += in[i];
    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();  // barrier: needed
    if (t < 32) {
        sum = t < 8 ? part[t] : 0;
        for (int d = 4; d; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (t == 0) out[blockIdx.x] = sum;
    }
    __syncthreads();  // barrier: nothing
}
