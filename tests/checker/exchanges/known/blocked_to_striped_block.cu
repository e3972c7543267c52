// launch: 2x128
__global__ void blocked_to_striped_block(const float *in, float *out) {
  __shared__ float s[512];
  int t = threadIdx.x, base = blockIdx.x * 512;
  for (int k = 0; k < 4; k++)
    s[t * 4 + k] = in[base + t * 4 + k];  // store: a
  __syncthreads();  // barrier: needed
  for (int k = 0; k < 4; k++)
    out[base + k * 128 + t] = s[k * 128 + t] + k;  // load a: several 4 + across
}
