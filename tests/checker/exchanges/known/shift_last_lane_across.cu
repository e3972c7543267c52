// launch: 2x128
__global__ void shift_last_lane_across(const float *in, float *out) {
  __shared__ float s[128];
  int t = threadIdx.x, g = blockIdx.x * 128 + t;
  float v = in[g];
  s[t] = v;  // store: a
  __syncthreads();  // barrier: needed
  if (t < 127)
    v -= s[t + 1];  // load a: across + down 1
  out[g] = v;
}
