// sound
// launch: 2x64

// Both loops may begin at the same instruction.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, x = in[g], sum = 0, round = 0;
    do {
        do {
            x = (x * 5 + 1) & 1023;
        } while (x & (t & 7));
        s[t] = x;
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    } while (++round < 4);
    out[g] = sum;
}
