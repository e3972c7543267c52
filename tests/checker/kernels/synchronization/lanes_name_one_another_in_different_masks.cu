// broken: MASKS_DIFFER
// launch: 1x32
// hangs

// Each half waits for lanes of the other that never pass its mask.
__global__ void k(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp(t < 16 ? 0xffffffff : 0xfffff000);
    out[t] = s[31 - t];
}
