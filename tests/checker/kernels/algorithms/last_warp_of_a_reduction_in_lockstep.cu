// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 32) {
        int sum = s[t] + s[t + 32];
        for (int d = 16; d > 0; d /= 2) {
            s[t] = sum;
            if (t < d) sum += s[t + d];
        }
        if (t == 0) out[blockIdx.x] = sum;
    }
}
