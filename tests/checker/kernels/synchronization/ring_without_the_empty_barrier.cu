// broken: WAR
// launch: 1x64

// Warp 1 overwrites the slot, which warp 0 may still read.
__global__ void k(const int *in, int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x >= 32) {
            slot[lane] = in[32 * i + lane];
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + i) : "memory");
        } else {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + i) : "memory");
            sum += slot[31 - lane];
        }
    }
    if (threadIdx.x < 32) out[lane] = sum;
}
