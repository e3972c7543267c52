// broken: BARRIER_IMPOSSIBLE
// launch: 1x128
// hangs

// A block has barriers 0 to 15.
__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, id = 16 * (in[t] >= 0);
    s[t] = in[t];
    asm volatile("bar.sync %0;" ::"r"(id) : "memory");
    out[t] = s[127 - t];
}
