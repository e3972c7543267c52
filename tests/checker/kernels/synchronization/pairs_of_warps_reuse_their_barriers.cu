// sound
// launch: 1x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, id = 1 + t / 64, x = in[t];
    for (int i = 0; i < 5; i++) {
        s[t] = x;
        asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
        x += s[t ^ 32];
        asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
    }
    out[t] = x;
}
