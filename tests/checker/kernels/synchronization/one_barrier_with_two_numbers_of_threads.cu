// broken: BARRIER_IMPOSSIBLE
// launch: 1x128
// hangs

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, count = t < 64 ? 128 : 96;
    s[t] = in[t];
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");
    out[t] = s[127 - t];
}
