// launch: 2x128
__global__ void double_buffer_extra_barrier(const float *in, float *out) {
  __shared__ float s[2][128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  for (int k = 0; k < 6; k++) {
    s[k & 1][t] = v;  // store: a
    __syncthreads();  // barrier: needed
    v = 0.5f * v + s[k & 1][127 - t];  // load a: across
    __syncthreads();  // barrier: nothing
  }
  out[g] = v;
}
