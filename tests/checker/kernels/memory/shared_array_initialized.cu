// sound
// launch: 1x64

__global__ void k(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
}
