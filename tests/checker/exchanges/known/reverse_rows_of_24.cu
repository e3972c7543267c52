// launch: 2:24x4
__global__ void reverse_rows_of_24(const float *in, float *out) {
  __shared__ float s[4][24];
  int x = threadIdx.x, y = threadIdx.y, g = (blockIdx.x * 4 + y) * 24 + x;
  s[y][x] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  out[g] = s[y][23 - x];  // load a: across
  __syncthreads();  // barrier: nothing
}
