// broken: BARRIER_IMPOSSIBLE
// launch: 1x128
// hangs

// The barrier waits for 96 threads; 64 come, and the others end.
__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t < 64) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        out[t] = s[63 - t];
    }
}
