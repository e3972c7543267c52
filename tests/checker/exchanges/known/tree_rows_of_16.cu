// launch: 2x128
__global__ void tree_rows_of_16(const float *in, float *out) {
  __shared__ float s[8][16];
  int t = threadIdx.x, r = t / 16, c = t % 16;
  s[r][c] = in[blockIdx.x * 128 + t];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 8; d > 0; d >>= 1) {
    if (c < d)
      s[r][c] += s[r][c + d];  // store: b | load a: thread + down 8; load b: thread + down 4 2 1
    __syncthreads();  // barrier: needed
  }
  if (t < 8)
    out[blockIdx.x * 8 + t] = s[t][0];  // load b: across
}
