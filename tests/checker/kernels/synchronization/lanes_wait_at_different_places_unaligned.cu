// sound
// launch: 2x64

// Without `.aligned`, the lanes of one warp may execute the barrier at different places.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    if (t % 32 < 16) {
        s[t] = in[g];
        asm volatile("barrier.sync 0;" ::: "memory");
        out[g] = s[t + 16];
    } else {
        s[t] = 2 * in[g];
        asm volatile("barrier.sync 0;" ::: "memory");
        out[g] = s[t - 16] + 1;
    }
}
