// launch: 2x128
__global__ void tree_interleaved(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 1; d < 128; d *= 2) {
    if (t % (2 * d) == 0)
      s[t] += s[t + d];  // store: b | load a: thread + down 1; load b: thread + down 2 4 8 16 + across
    __syncthreads();  // barrier: needed
  }
  if (t == 0)
    out[blockIdx.x] = s[0];  // load b: thread
}
