// launch: 2x128
__global__ void rotate_row(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 128 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  out[g] = s[(t & ~31) + ((lane + 1) & 31)];  // load a: lane
}
