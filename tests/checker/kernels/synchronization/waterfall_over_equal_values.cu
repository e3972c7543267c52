// sound
// launch: 2x64

// In each round, the lanes with the value of the first one are done and leave; the mask of the others shrinks with them.
__global__ void k(const int *in, int *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x, value = in[g] & 7, count = 0;
    unsigned lanes = 0xffffffff;
    while (count == 0) {
        int first = __shfl_sync(lanes, value, __ffs(lanes) - 1);
        unsigned equal = __ballot_sync(lanes, value == first);
        if (value == first) count = __popc(equal);
        lanes &= ~equal;
    }
    out[g] = count;
}
