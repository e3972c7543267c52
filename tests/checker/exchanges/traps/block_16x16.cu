// launch: 2x1:16x16
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[16][16];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 256 + 16 * y + x;
    s[y][x] = in[i];
    __syncthreads();  // barrier: warp
    int a = s[y ^ 1][x];
    __syncthreads();  // barrier: warp
    s[y][x] = a;
    __syncthreads();  // barrier: needed
    out[i] = s[y ^ 2][x];
}
