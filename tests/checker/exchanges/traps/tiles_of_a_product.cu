// launch: 1x1:16x16, args: n=32
__global__ void kernel(const float* a, const float* b, float* c, int n) {
    __shared__ float x[16][16], y[16][16];
    int i = threadIdx.x, j = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        x[j][i] = a[j * n + k + i];
        y[j][i] = b[(k + j) * 16 + i];
        __syncthreads();  // barrier: needed
        for (int l = 0; l < 16; ++l) sum += x[j][l] * y[l][i];
        __syncthreads();  // barrier: needed
    }
    c[j * 16 + i] = sum;
}
