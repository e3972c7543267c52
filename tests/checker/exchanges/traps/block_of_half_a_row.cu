// launch: 2x1:8x16
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[16][8];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 128 + 8 * y + x;
    s[y][x] = in[i];
    __syncthreads();  // barrier: warp
    out[i] = s[y / 4 * 4 + x % 4][x];
}
