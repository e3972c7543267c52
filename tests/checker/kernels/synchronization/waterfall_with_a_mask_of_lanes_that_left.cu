// sound
// launch: 2x64

// The lanes that are done leave before the others vote, with a mask that still names them.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x, value = in[g] & 7;
    unsigned lanes = 0xffffffff;
    for (;;) {
        int first = __shfl_sync(lanes, value, __ffs(lanes) - 1);
        if (value == first) break;
        lanes &= __ballot_sync(lanes, true);
    }
    out[g] = value;
}
