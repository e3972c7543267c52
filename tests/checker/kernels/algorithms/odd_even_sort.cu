// sound
// launch: 1x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int round = 0; round < 64; round++) {
        if ((t & 1) == (round & 1) && t + 1 < 64 && s[t] > s[t + 1]) {
            int low = s[t + 1];
            s[t + 1] = s[t];
            s[t] = low;
        }
        __syncthreads();
    }
    out[t] = s[t];
}
