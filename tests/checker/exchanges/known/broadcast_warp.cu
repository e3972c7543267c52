// launch: 2x128
__global__ void broadcast_warp(const float *in, float *out) {
  __shared__ float s[4];
  int t = threadIdx.x, w = t / 32, g = blockIdx.x * 128 + t;
  float v = in[g];
  if (t % 32 == 5)
    s[w] = v * 2.0f;  // store: a
  __syncthreads();  // barrier: warp
  out[g] = v - s[w];  // load a: broadcast
}
