// launch: 2x128
__global__ void tree_rows_of_64(const float *in, float *out) {
  __shared__ float s[2][64];
  int t = threadIdx.x, r = t / 64, c = t % 64;
  s[r][c] = in[blockIdx.x * 128 + t];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 32; d > 0; d >>= 1) {
    if (c < d)
      s[r][c] += s[r][c + d];  // store: b | load a: thread + across; load b: thread + down 16 8 4 2 1
    __syncthreads();  // barrier: warp
  }
  if (c == 0)
    out[blockIdx.x * 2 + r] = s[r][0];  // load b: thread
}
