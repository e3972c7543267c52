// launch: 2x128
__global__ void butterfly_block_128(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  for (int d = 1; d < 128; d <<= 1) {
    s[t] = v;  // store: a
    __syncthreads();  // barrier: needed
    v = fmaxf(v, s[t ^ d]);  // load a: xor 1 2 4 8 16 + across
    __syncthreads();  // barrier: needed
  }
  out[g] = v;
}
