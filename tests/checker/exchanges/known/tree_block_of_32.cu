// launch: 3x32
__global__ void tree_block_of_32(const float *in, float *out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 32 + t];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 1; d < 32; d *= 2) {
    if ((t & (2 * d - 1)) == 0)
      s[t] += s[t + d];  // store: b | load a: thread + down 1; load b: thread + down 2 4 8 16
    __syncthreads();  // barrier: warp
  }
  if (t == 0)
    out[blockIdx.x] = s[0];  // load b: thread
}
