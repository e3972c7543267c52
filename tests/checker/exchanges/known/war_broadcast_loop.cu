// launch: 2x64
__global__ void war_broadcast_loop(const float *in, float *out) {
  __shared__ float s;
  int t = threadIdx.x, g = blockIdx.x * 64 + t;
  float v = in[g], acc = 0.0f;
  for (int k = 0; k < 5; k++) {
    if (t == k)
      s = v + acc;  // store: a
    __syncthreads();  // barrier: needed
    acc += v * s;  // load a: broadcast + across
    __syncthreads();  // barrier: needed
  }
  out[g] = acc;
}
