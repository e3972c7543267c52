// launch: 2x256
__global__ void transpose_in_place_warp(const float *in, float *out) {
  __shared__ float s[256];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 256 + t;
  s[t] = in[g];  // store: a
  __syncthreads();  // barrier: warp
  float v = s[(t - lane) + (lane % 4) * 8 + lane / 4];  // load a: lane
  __syncthreads();  // barrier: warp
  s[t] = v;  // store: b
  __syncthreads();  // barrier: warp
  out[g] = v - s[t ^ 1];  // load b: xor 1
}
