// launch: 2x1024
__global__ void rotate_row_by_half(const float *in, float *out) {
  __shared__ float s[1024];
  int t = threadIdx.x, lane = t % 32, g = blockIdx.x * 1024 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  out[g] = s[t - lane + (lane + 16) % 32];  // load a: xor 16
}
