// launch: 2x128 args: n=128
__global__ void loop_runs_once(const float *in, float *out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  for (int i = 0; i < n; i += 128) {
    int g = blockIdx.x * n + i + t;
    s[t] = in[g];  // store: a
    __syncthreads();  // barrier: needed
    out[g] = s[t ^ 96];  // load a: across
    __syncthreads();  // barrier: needed
  }
}
