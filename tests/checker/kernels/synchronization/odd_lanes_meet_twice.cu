// sound
// launch: 2x64

// Odd lanes meet among themselves first: lanes with different masks do not meet.
__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    if (t & 1) {
        __syncwarp(0xaaaaaaaa);
        int other = s[t ^ 2];
        __syncwarp(0xaaaaaaaa);
        s[t] = other;
    }
    __syncwarp();
    out[g] = s[t ^ 1];
}
