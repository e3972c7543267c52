// doubtful: UNINITIALIZED_UNUSED
// launch: 1x64

__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    __shared__ int sums[64];
    if (t < 32) sums[t] = in[t];
    __syncthreads();
    volatile int *seen = sums;
    int sum = seen[t ^ 1];
    out[t] = t < 32 ? sum : 0;
}
