// launch: 2x128
__global__ void waw_only(const float *in, float *out) {
  __shared__ float s[32];
  int t = threadIdx.x, lane = t & 31, g = blockIdx.x * 128 + t;
  float v = in[g];
  if (t < 32)
    s[lane] = v;  // store: a
  __syncthreads();  // barrier: needed
  if (t >= 96 && (t & 1))
    s[lane] = v * 3.0f;  // store: b
  __syncthreads();  // barrier: needed
  out[g] = v + s[lane];  // load a: thread + across; load b: thread + across
}
