// launch: 2x128
__global__ void scan_two_barriers(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  for (int d = 1; d < 128; d *= 2) {
    float v = 0.0f;
    if (t >= d)
      v = s[t - d];  // load a: up 1 + across; load b: up 2 4 8 16 + across
    __syncthreads();  // barrier: needed
    s[t] += v;  // store: b | load a: thread; load b: thread
    __syncthreads();  // barrier: needed
  }
  out[g] = s[t];  // load b: thread
}
