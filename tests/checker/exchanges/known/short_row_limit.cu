// launch: 2x64 args: n=32
__global__ void short_row_limit(const float *in, float *out, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, g = blockIdx.x * 64 + t;
  float v = in[g];
  s[t] = v;  // store: a
  __syncthreads();  // barrier: needed
  if (t + 1 < n)
    v += s[t + 1];  // load a: down 1
  out[g] = v;
}
