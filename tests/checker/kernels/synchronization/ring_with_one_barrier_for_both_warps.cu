// broken: BARRIER_IMPOSSIBLE
// launch: 1x64
// hangs

// Warp 1 may announce the next value at the barrier that warp 0 has not reached for this one.
__global__ void k(const int *in, int *out) {
    __shared__ int slots[4][32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x >= 32) {
            slots[i][lane] = in[32 * i + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += slots[i][31 - lane];
        }
    }
    if (threadIdx.x < 32) out[lane] = sum;
}
