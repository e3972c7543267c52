// launch: 2x128
__global__ void global_handover_warp(const float *in, float *tmp, float *out) {
  int g = blockIdx.x * 128 + threadIdx.x;
  tmp[g] = in[g] * 2.0f;
  __syncthreads();  // barrier: warp
  float v = tmp[g ^ 1];
  __syncthreads();  // barrier: nothing
  out[g] = v - tmp[g];
}
