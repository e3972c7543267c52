// launch: 2x256
__global__ void tree_over_block(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];  // store: b | load a: thread + across; load b: thread + across + down 16 8 4 2 1
    __syncthreads();  // barrier: needed
  }
  if (t == 0)
    out[blockIdx.x] = s[0];  // load b: thread
}
