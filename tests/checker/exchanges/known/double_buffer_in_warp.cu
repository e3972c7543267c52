// launch: 2x128
__global__ void double_buffer_in_warp(const float *in, float *out) {
  __shared__ float s[2][128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  for (int k = 0; k < 5; k++) {
    s[k & 1][t] = v;  // store: a
    __syncthreads();  // barrier: warp
    v = v * 0.5f + s[k & 1][t ^ (1 << k)];  // load a: xor 1 2 4 8 16
  }
  out[g] = v;
}
