// launch: 3x128
__global__ void tree_rows_of_warp(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, lane = t & 31;
  s[t] = in[blockIdx.x * 128 + t];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 16; d > 0; d >>= 1) {
    if (lane < d)
      s[t] += s[t + d];  // store: b | load a: thread + down 16; load b: thread + down 8 4 2 1
    __syncthreads();  // barrier: warp
  }
  if (lane == 0)
    out[blockIdx.x * 4 + t / 32] = s[t];  // load b: thread
}
