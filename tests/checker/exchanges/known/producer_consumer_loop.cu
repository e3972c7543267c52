// launch: 2x96
__global__ void producer_consumer_loop(const float *in, float *out) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float acc = 0.0f;
  for (int c = 0; c < 4; c++) {
    if (t < 32)
      s[t] = in[(blockIdx.x * 4 + c) * 32 + t];  // store: a
    __syncthreads();  // barrier: needed
    if (t >= 32)
      acc = 0.5f * acc + s[(t * 7) & 31];  // load a: across
    __syncthreads();  // barrier: needed
  }
  if (t >= 32)
    out[blockIdx.x * 64 + t - 32] = acc;
}
