// launch: 4x32
__global__ void transpose_8x8_one_warp(const float *in, float *out) {
  __shared__ float s[8][9];
  int lane = threadIdx.x, base = blockIdx.x * 64;
  for (int k = 0; k < 2; k++) {
    int e = k * 32 + lane;
    s[e / 8][e % 8] = in[base + e];  // store: a
  }
  __syncthreads();  // barrier: warp
  for (int k = 0; k < 2; k++) {
    int e = k * 32 + lane;
    out[base + e] = s[e % 8][e / 8];  // load a: several 2
  }
}
