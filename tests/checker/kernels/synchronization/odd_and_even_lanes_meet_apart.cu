// broken: RAW
// launch: 2x64

// The exchange crosses the two groups of lanes that wait for one another.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    __syncwarp(t & 1 ? 0xaaaaaaaa : 0x55555555);
    out[g] = s[t ^ 1];
}
