// broken: UNINITIALIZED
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    __shared__ int sums[64];
    if (t < 32) sums[t] = in[t];
    __syncthreads();
    volatile int *seen = sums;
    out[t] = seen[t] == 0 ? 1 : 2;
}
