// launch: 2x128
__global__ void last_of_row_and_block(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  s[t] = v;  // store: a
  __syncthreads();  // barrier: needed
  if (t % 32 == 0)
    v += s[t + 31];  // load a: down 31
  if (t == 0)
    v *= s[127];  // load a: across + broadcast
  out[g] = v;
}
