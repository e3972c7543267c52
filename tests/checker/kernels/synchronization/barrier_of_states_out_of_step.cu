// broken: DIVERGENT_WARP_BARRIER
// launch: 2x64

// Odd lanes begin one state before the others, and come to the barrier one iteration later.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, state = t % 2 ? -1 : 0, sum = 0;
    s[t] = in[g];
#pragma unroll 1
    while (state < 3) {
        switch (state) {
            case -1:
                sum += in[g ^ 1];
                state = 0;
                break;
            case 0:
                sum += in[g] & 1 ? 1 : 3;
                state = 1;
                break;
            case 1:
                __syncthreads();
                sum += s[63 - t];
                state = 2;
                break;
            default: state = 3;
        }
    }
    out[g] = sum;
}
