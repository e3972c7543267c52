// launch: 2x256
__global__ void double_buffer_steps(const float *in, float *out) {
  __shared__ float s[2][256];
  int t = threadIdx.x, g = blockIdx.x * 256 + t;
  float v = in[g];
  for (int k = 0; k < 8; k++) {
    s[k & 1][t] = v;  // store: a
    __syncthreads();  // barrier: needed
    v = 0.5f * v + s[k & 1][(t + 37) & 255];  // load a: across
  }
  out[g] = v;
}
