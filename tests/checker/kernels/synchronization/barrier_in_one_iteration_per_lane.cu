// broken: DIVERGENT_WARP_BARRIER
// launch: 2x64

// Even lanes wait in the first iteration, odd ones in the second: the lanes of a warp never execute the barrier together.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        if (i == t % 2) __syncthreads();
    }
    out[g] = s[63 - t];
}
