// sound
// launch: 2x128

// Each half of the block counts for itself.
__global__ void k(const int *in, int *out) {
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t, id = 1 + t / 64, flag = in[g] > 300, sum;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; bar.red.popc.u32 %0, %1, %2, p; }"
                 : "=r"(sum) : "r"(id), "n"(64), "r"(flag) : "memory");
    out[g] = sum;
}
