// launch: 2x64
__global__ void blocked_to_striped_warp(const float *in, float *out) {
  __shared__ float s[2][128];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  int base = (blockIdx.x * 2 + w) * 128;
  for (int k = 0; k < 4; k++)
    s[w][lane * 4 + k] = in[base + lane * 4 + k];  // store: a
  __syncthreads();  // barrier: warp
  for (int k = 0; k < 4; k++)
    out[base + k * 32 + lane] = s[w][k * 32 + lane] + k;  // load a: several 4
}
