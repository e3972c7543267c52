// launch: 1x1:16x16, args: n=48
__global__ void kernel(const float* a, const float* b, float* c, int n) {
    __shared__ float x[2][16][16], y[2][16][16];
    int i = threadIdx.x, j = threadIdx.y, cur = 0;
    float sum = 0;
    x[0][j][i] = a[j * n + i];
    y[0][j][i] = b[j * 16 + i];
    __syncthreads();  // barrier: needed
    for (int k = 16; k <= n; k += 16) {
        if (k < n) {
            x[cur ^ 1][j][i] = a[j * n + k + i];
            y[cur ^ 1][j][i] = b[(k + j) * 16 + i];
        }
        for (int l = 0; l < 16; ++l) sum += x[cur][j][l] * y[cur][l][i];
        __syncthreads();  // barrier: needed
        cur ^= 1;
    }
    c[j * 16 + i] = sum;
}
