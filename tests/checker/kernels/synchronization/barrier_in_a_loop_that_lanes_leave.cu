// broken: DIVERGENT_WARP_BARRIER
// launch: 2x64

// Odd lanes go through the loop once more, and meet the others at another barrier.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, sum = 0;
    s[t] = in[g];
#pragma unroll 1
    for (int i = 0; i < 1 + t % 2; i++) {
        __syncthreads();
        sum += s[63 - t];
    }
    __syncthreads();
    out[g] = sum;
    if (t % 2 == 0) __syncthreads();
}
