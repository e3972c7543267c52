// broken: WAR
// launch: 2x128

__global__ void k(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, value = in[t];
    for (int step = 0; step < 4; step++) {
        s[t] = value;
        __syncthreads();
        value = s[(t + 1) % 128] + 1;
    }
    out[blockIdx.x * 128 + t] = value;
}
