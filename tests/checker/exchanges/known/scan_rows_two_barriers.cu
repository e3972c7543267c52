// launch: 2x96
__global__ void scan_rows_two_barriers(const float *in, float *out) {
  __shared__ float s[96];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 96 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  for (int d = 1; d < 32; d *= 2) {
    float v = 0.0f;
    if (lane >= d)
      v = s[t - d];  // load a: up 1; load b: up 2 4 8 16
    __syncthreads();  // barrier: warp
    s[t] += v;  // store: b | load a: thread; load b: thread
    __syncthreads();  // barrier: warp
  }
  out[g] = s[t];  // load b: thread
}
