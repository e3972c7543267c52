// launch: 2x64
__global__ void tree_upward_rows(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t % 32;
  s[t] = in[blockIdx.x * 64 + t];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 16; d > 0; d >>= 1) {
    if (lane >= 32 - d)
      s[t] += s[t - d];  // store: b | load a: thread + up 16; load b: thread + up 8 4 2 1
    __syncthreads();  // barrier: warp
  }
  if (lane == 31)
    out[blockIdx.x * 2 + t / 32] = s[t];  // load b: thread
}
