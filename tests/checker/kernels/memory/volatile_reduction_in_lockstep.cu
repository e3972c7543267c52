// broken: RAW
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int d = 16; d > 0; d /= 2) {
            int x = s[t + d];
            s[t] += x;
        }
        if (t == 0) out[blockIdx.x] = s[0];
    }
}
