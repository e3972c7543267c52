// sound
// launch: 3x3:8x8

__global__ void k(const int *in, int *out) {
    __shared__ int a[8][8], b[8][8];
    int n = gridDim.x * 8, tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty, sum = 0;
    for (int tile = 0; tile < n; tile += 8) {
        a[ty][tx] = in[y * n + tile + tx];
        b[ty][tx] = in[(tile + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < 8; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    out[y * n + x] = sum;
}
