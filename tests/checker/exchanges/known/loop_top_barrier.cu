// launch: 2x128
__global__ void loop_top_barrier(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  for (int k = 0; k < 4; k++) {
    __syncthreads();  // barrier: needed
    s[t] = v + k;  // store: a
    __syncthreads();  // barrier: needed
    v = s[(t + 32) & 127] * 0.5f;  // load a: across
  }
  out[g] = v;
}
