// launch: 2x1024
__global__ void tree_1024_warp_tail(const float *in, float *out) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 1024 + t];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 512; d >= 32; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];  // store: b | load a: thread + across; load b: thread + across
    __syncthreads();  // barrier: needed
  }
  for (int d = 16; d > 0; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];  // store: c | load b: thread + down 16; load c: thread + down 8 4 2 1
    __syncthreads();  // barrier: warp
  }
  if (t == 0)
    out[blockIdx.x] = s[0];  // load c: thread
}
