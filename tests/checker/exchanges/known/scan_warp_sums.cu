// launch: 2x256
__global__ void scan_warp_sums(const int *in, int *out) {
  __shared__ int s[8];
  int t = threadIdx.x, lane = t & 31, w = t >> 5, g = blockIdx.x * 256 + t;
  int v = in[g];
  for (int d = 1; d < 32; d *= 2) {
    int o = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31)
    s[w] = v;  // store: a
  __syncthreads();  // barrier: needed
  if (t < 8) {
    int x = s[t];  // load a: across
    for (int d = 1; d < 8; d *= 2) {
      int o = __shfl_up_sync(0xffu, x, d);
      if (t >= d) x += o;
    }
    s[t] = x;  // store: b
  }
  __syncthreads();  // barrier: needed
  if (w > 0)
    v += s[w - 1];  // load b: across
  out[g] = v;
}
