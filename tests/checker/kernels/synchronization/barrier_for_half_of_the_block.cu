// sound
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[g] = s[63 - t];
    }
}
