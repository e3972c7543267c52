// launch: 2x64
__global__ void negate_lane(const int *in, int *out) {
  __shared__ int s[64];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 64 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  out[g] = s[(t - lane) + ((32 - lane) & 31)];  // load a: lane
}
