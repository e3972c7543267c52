// sound
// launch: 2x64

// The upper half has ended; what the lower half reads from it reaches no output.
__global__ void k(const int *in, int *out) {
    int lane = threadIdx.x % 32, g = blockIdx.x * blockDim.x + threadIdx.x, v = in[g];
    if (lane >= 16) return;
    int other = __shfl_down_sync(0x0000ffff, v, 8);
    if (lane < 8) v += other;
    out[g] = v;
}
