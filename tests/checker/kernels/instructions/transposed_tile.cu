// sound
// launch: 2:8x8

__global__ void k(const int *in, int *out) {
    __shared__ int tile[8][8];
    int x = threadIdx.x, y = threadIdx.y, start = 64 * blockIdx.x;
    tile[y][x] = in[start + 8 * y + x];
    __syncthreads();
    out[start + 8 * y + x] = tile[x][y];
}
