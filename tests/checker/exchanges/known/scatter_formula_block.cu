// launch: 2x128
__global__ void scatter_formula_block(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  s[(t * 7) & 127] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  float v = s[t];  // load a: across
  __syncthreads();  // barrier: nothing
  out[g] = v + s[(t * 7) & 127];  // load a: thread
}
