// launch: 2x128 shared=1024
__global__ void dynamic_shared(const float *in, float *out) {
  extern __shared__ float s[];
  int t = threadIdx.x, n = blockDim.x, g = blockIdx.x * n + t;
  s[t] = in[g];  // store: a
  s[n + t] = in[g] * in[g];  // store: b
  __syncthreads();  // barrier: needed
  float x = s[n - 1 - t];  // load a: across
  float y = s[n + (t ^ 8)];  // load b: xor 8
  out[g] = x * y;
}
