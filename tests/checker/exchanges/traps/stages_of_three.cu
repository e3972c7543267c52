// launch: 1x128, args: n=7
__global__ void kernel(const int* in, int* out, int n) {
    __shared__ int s[3][128];
    int t = threadIdx.x, sum = 0, stage = 0;
    s[0][t] = in[t];
    s[1][t] = in[128 + t];
    for (int k = 0; k < n; ++k) {
        __syncthreads();  // barrier: needed
        s[(stage + 2) % 3][t] = in[128 * (k + 2) + t];
        sum += s[stage][127 - t];
        __syncthreads();  // barrier: nothing
        stage = (stage + 1) % 3;
    }
    out[t] = sum;
}
