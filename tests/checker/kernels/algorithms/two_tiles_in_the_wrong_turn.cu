// broken: WAR
// launch: 2x64

__global__ void k(const int *in, int *out) {
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < 6; step++) {
        tile[step / 2 % 2][t] = in[step * 64 + t];
        __syncthreads();
        sum += tile[step / 2 % 2][63 - t];
    }
    out[blockIdx.x * 64 + t] = sum;
}
