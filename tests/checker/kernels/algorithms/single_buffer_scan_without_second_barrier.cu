// broken: WAR
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int other = t >= d ? s[t - d] : 0;
        s[t] += other;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = s[t];
}
