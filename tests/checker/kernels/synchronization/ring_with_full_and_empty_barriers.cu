// sound
// launch: 1x64

// Warp 1 fills a slot, warp 0 empties it: one barrier says that it is full, the other that it is empty.
__global__ void k(const int *in, int *out) {
    __shared__ int slot[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x >= 32) {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            slot[lane] = in[32 * i + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += slot[31 - lane];
        }
    }
    if (threadIdx.x < 32) out[lane] = sum;
}
