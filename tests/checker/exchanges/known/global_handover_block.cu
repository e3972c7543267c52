// launch: 2x128
__global__ void global_handover_block(const float *in, float *tmp, float *out) {
  int t = threadIdx.x, base = blockIdx.x * 128;
  tmp[base + t] = in[base + t] * 2.0f;
  __syncthreads();  // barrier: needed
  out[base + t] = tmp[base + ((t + 64) & 127)];
}
