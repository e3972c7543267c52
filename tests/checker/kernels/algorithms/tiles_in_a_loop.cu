// sound
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
    for (int start = 0; start < 256; start += 64) {
        tile[t] = in[start + t];
        __syncthreads();
        for (int j = 0; j < 64; j++) sum += tile[j] ^ t;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}
