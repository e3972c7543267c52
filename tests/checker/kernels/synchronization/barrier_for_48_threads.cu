// broken: BARRIER_IMPOSSIBLE
// launch: 1x128
// hangs

// The number of threads is no multiple of the size of a warp.
__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, count = 48;
    s[t] = in[t];
    if (t < 48) {
        asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
        out[t] = s[47 - t];
    }
}
