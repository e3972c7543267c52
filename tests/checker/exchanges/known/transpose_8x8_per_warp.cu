// launch: 2x128
__global__ void transpose_8x8_per_warp(const float *in, float *out) {
  __shared__ float s[4][8][9];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int base = (blockIdx.x * 4 + w) * 64;
  for (int k = 0; k < 2; k++) {
    int e = k * 32 + lane;
    s[w][e / 8][e % 8] = in[base + e];  // store: a
  }
  __syncthreads();  // barrier: warp
  for (int k = 0; k < 2; k++) {
    int e = k * 32 + lane;
    out[base + e] = s[w][e % 8][e / 8];  // load a: several 2
  }
}
