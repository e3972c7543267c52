// launch: 2x128
__global__ void other_buffer_after_read(const float *in, float *out) {
  __shared__ float s[128];
  __shared__ float u[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: needed
  float v = s[127 - t];  // load a: across
  __syncthreads();  // barrier: nothing
  u[t] = v * 2.0f;  // store: b
  __syncthreads();  // barrier: warp
  out[g] = u[t ^ 3];  // load b: xor 3
}
