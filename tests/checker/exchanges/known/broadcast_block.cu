// launch: 2x256
__global__ void broadcast_block(const float *in, float *out) {
  __shared__ float s;
  int t = threadIdx.x, g = blockIdx.x * 256 + t;
  float v = in[g];
  if (t == 0)
    s = v + 1.0f;  // store: a
  __syncthreads();  // barrier: needed
  out[g] = v / s;  // load a: broadcast + across
}
