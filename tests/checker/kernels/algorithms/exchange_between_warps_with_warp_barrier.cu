// broken: RAW
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncwarp();
    out[i] = s[t ^ 48];
}
