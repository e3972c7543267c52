// launch: 2:8x8
__global__ void rows_8x8_two_ways(const float *in, float *out) {
  __shared__ float s[8][8];
  int x = threadIdx.x, y = threadIdx.y, g = blockIdx.x * 64 + y * 8 + x;
  s[y][x] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  float p = s[y ^ 1][x];  // load a: xor 8
  float q = s[y][7 - x];  // load a: xor 7
  __syncthreads();  // barrier: needed
  float r = s[7 - y][x];  // load a: across
  out[g] = p + 2.0f * q + 3.0f * r;
}
