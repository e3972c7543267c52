// sound
// launch: 2x128

// `bar.arrive` releases what the producers wrote.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * 64 + t % 64;
    if (t >= 64) {
        s[t - 64] = in[g];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[g] = s[63 - t];
    }
}
