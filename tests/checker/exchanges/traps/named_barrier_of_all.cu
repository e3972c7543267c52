// launch: 1x128
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    asm volatile("bar.sync 1;" ::: "memory");  // barrier: open
    out[t] = s[127 - t];
}
