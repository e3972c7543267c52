// launch: 2x1:33x4
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[4][33];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 132 + 33 * y + x;
    s[y][x] = in[i];
    __syncthreads();  // barrier: needed
    out[i] = s[y][x > 0 ? x - 1 : 0];
}
