// sound
// launch: 2x2:16x16

__global__ void k(const int *in, int *out) {
    __shared__ int tile[16][17];
    int width = gridDim.x * 16, height = gridDim.y * 16;
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
