// launch: 2x1:24x8
__global__ void kernel(const int* in, int* out) {
    __shared__ int s[8][24];
    int x = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 192 + 24 * y + x;
    s[y][x] = in[i];
    __syncthreads();  // barrier: needed
    out[i] = s[y][23 - x];
}
