// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
    s[t] = in[g];
    if (t % 32 < 16) {
        __syncwarp(0x0000ffff);
        out[g] = s[t ^ 15];
    }
}
