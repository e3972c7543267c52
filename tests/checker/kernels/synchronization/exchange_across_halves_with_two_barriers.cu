// broken: RAW
// launch: 2x128

// Each half of the block meets at a barrier whose number is in a register; the exchange crosses the halves.
__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    int id = 1 + (t >> 6);
    s[t] = in[g];
    asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
    out[g] = s[t ^ 127];
}
